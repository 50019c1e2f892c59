"""Parts by name: `table` has the names and imports what they stand for; `kinds` makes and watches parts."""
