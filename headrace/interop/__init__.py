"""File formats and message formats that others read and write; nothing here is imported until it is used."""
