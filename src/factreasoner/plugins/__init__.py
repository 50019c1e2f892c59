"""Parts by name: `table` has the names and imports the parts; `kinds` makes and watches parts."""
