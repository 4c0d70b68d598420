"""The commands of `sponsorgraph`, a file each."""
