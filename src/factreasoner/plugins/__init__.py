"""Components by name: `table` has the names; `kinds` imports, makes and checks them."""
