-- An image of the variant: the URL of one of the images of its product. Null: the images of the product.
alter table catalog_variant add column image text;
