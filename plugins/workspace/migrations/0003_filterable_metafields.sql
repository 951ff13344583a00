-- Lists and facets read the definitions of filterable metafields from memory.
select core_configuration_table('workspace_metafield_definition');
