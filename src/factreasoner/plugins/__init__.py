"""Parts by name: `table` has the names; `kinds` imports, makes and watches the parts."""
