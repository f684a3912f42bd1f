"""What may be asked and what is answered, as types, and the OpenAPI document made from them."""
