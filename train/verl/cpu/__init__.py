"""The CPU room of training: what verl 0.9.1 lacks to run without an accelerator, and nothing else.

A platform, an FSDP2 engine on gloo and a rollout server on transformers, registered by the entry point ``verl.plugins``
in every process of a run; asleep unless ``VERL_PLATFORM=cpu`` is set, so that on GPUs it changes nothing.
"""
