"""From records to numbers: intervals, and one row of scores an agent."""
