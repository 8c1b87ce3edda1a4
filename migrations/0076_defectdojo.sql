-- compatible-with: 0072
-- What clients of DefectDojo know by number: product types, products (our repositories), engagements and tests. They look them up,
-- make them where there are none, and name them by their ids in later requests.
create table defectdojo_context (
  deployment_id bigint not null references deployment (id) on delete cascade,
  id bigint generated always as identity,
  kind text not null check (kind in ('product_type', 'product', 'engagement', 'test')),
  -- The product of an engagement, the engagement of a test; 0 for the others.
  parent_id bigint not null,
  name text not null,
  -- Of a test.
  scan_type text not null,
  -- Of a product; 0 for the others.
  product_type_id bigint not null,
  created_at timestamptz not null default now(),
  primary key (deployment_id, id),
  unique (deployment_id, kind, parent_id, name, scan_type)
);
call protect_tenant_table('defectdojo_context');
