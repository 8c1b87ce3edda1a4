create table ruleboard (
  deployment_id bigint not null references deployment (id) on delete cascade,
  id bigint generated always as identity,
  type text not null check (type in ('RULEBOARD_TYPE_SAST', 'RULEBOARD_TYPE_SECRETS')),
  name text not null,
  slug text not null,
  is_default boolean not null default false,
  version bigint not null default 1,
  primary key (deployment_id, id),
  unique (deployment_id, slug)
);
create unique index ruleboard_default on ruleboard (deployment_id, type) where is_default;
call protect_tenant_table('ruleboard');

create table ruleboard_repository (
  deployment_id bigint not null,
  ruleboard_id bigint not null,
  repository_id bigint not null,
  primary key (deployment_id, ruleboard_id, repository_id),
  foreign key (deployment_id, ruleboard_id) references ruleboard on delete cascade,
  foreign key (deployment_id, repository_id) references repository on delete cascade
);
create index ruleboard_repository_repository on ruleboard_repository (deployment_id, repository_id);
call protect_tenant_table('ruleboard_repository');

create table policy (
  deployment_id bigint not null references deployment (id) on delete cascade,
  id bigint generated always as identity,
  name text not null,
  slug text not null,
  product_type text not null check (product_type in ('PRODUCT_TYPE_SAST', 'PRODUCT_TYPE_SECRETS')),
  is_default boolean not null default false,
  version bigint not null default 1,
  primary key (deployment_id, id),
  unique (deployment_id, slug)
);
create unique index policy_default on policy (deployment_id, product_type) where is_default;
call protect_tenant_table('policy');

create table policy_rule (
  deployment_id bigint not null,
  policy_id bigint not null,
  -- A rule id, or the beginning of one followed by '*'. The longest match decides.
  rule text not null,
  mode text not null check (mode in ('monitor', 'comment', 'block', 'disabled')),
  primary key (deployment_id, policy_id, rule),
  foreign key (deployment_id, policy_id) references policy on delete cascade
);
call protect_tenant_table('policy_rule');
