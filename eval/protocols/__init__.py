"""When memory is formed and when it is used: evaluation protocols as schedulers of episodes, one file each."""
