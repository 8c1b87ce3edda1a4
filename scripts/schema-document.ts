import pg from 'pg'
import type { ConnectionOptions } from '../src/kernel/database/connections/connection.ts'

type Table = {
  name: string
  columns: string[]
  constraints: string[]
  indexes: string[]
  policies: string[]
  triggers: string[]
}

const tables = `
  select c.relname as name,
    array(select format('%s %s%s%s', a.attname, format_type(a.atttypid, a.atttypmod),
        case when a.attidentity <> '' then ' generated ' || case a.attidentity when 'a' then 'always' else 'by default' end || ' as identity'
          when d.adbin is not null and a.attgenerated <> '' then ' generated always as (' || pg_get_expr(d.adbin, d.adrelid) || ') stored'
          when d.adbin is not null then ' default ' || pg_get_expr(d.adbin, d.adrelid) else '' end,
        case when a.attnotnull then ' not null' else '' end)
      from pg_attribute a left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
      where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped order by a.attnum) as columns,
    array(select pg_get_constraintdef(k.oid) from pg_constraint k where k.conrelid = c.oid and k.contype <> 'n'
      order by array_position(array['p', 'u', 'f', 'c', 'x'], k.contype::text), pg_get_constraintdef(k.oid) collate "C") as constraints,
    array(select pg_get_indexdef(i.indexrelid) from pg_index i where i.indrelid = c.oid
      and not exists (select from pg_constraint k where k.conindid = i.indexrelid and k.contype in ('p', 'u', 'x'))
      order by pg_get_indexdef(i.indexrelid) collate "C") as indexes,
    array(select format('%s for %s to %s%s%s', p.policyname, lower(p.cmd), array_to_string(p.roles, ', '),
        coalesce(' using ' || p.qual, ''), coalesce(' with check ' || p.with_check, ''))
      from pg_policies p where p.schemaname = 'public' and p.tablename = c.relname order by p.policyname collate "C") as policies,
    array(select pg_get_triggerdef(t.oid) from pg_trigger t where t.tgrelid = c.oid and not t.tgisinternal
      order by t.tgname collate "C") as triggers
  from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
  order by c.relname collate "C"`

const views = `select c.relname as name, pg_get_viewdef(c.oid, true) as definition from pg_class c
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('v', 'm') order by c.relname collate "C"`

const functions = `select pg_get_functiondef(p.oid) as definition from pg_proc p
  where p.pronamespace = 'public'::regnamespace and p.prokind in ('f', 'p')
    and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')
  order by p.proname collate "C", pg_get_function_identity_arguments(p.oid) collate "C"`

/** The schema of a migrated database as one readable text: what all migrations together come to. */
export async function schemaDocument(connection: ConnectionOptions): Promise<string> {
  const client = new pg.Client({ ...connection })
  await client.connect()
  try {
    await client.query(`set search_path = public`)
    const found = (await client.query<Table>(tables)).rows
    const seen = (await client.query<{ name: string; definition: string }>(views)).rows
    const made = (await client.query<{ definition: string }>(functions)).rows
    const parts = [
      '-- What the migrations come to, for reading: written by `npm run generate`, compared by a test. Not for running.',
      ...found.map(tableText),
      ...seen.map(({ name, definition }) => `create view ${name} as\n${definition}`),
      ...made.map(({ definition }) => `${definition.trim()};`),
    ]
    return `${parts.join('\n\n')}\n`
  } finally {
    await client.end()
  }
}

function tableText({ name, columns, constraints, indexes, policies, triggers }: Table): string {
  const body = [...columns, ...constraints].map((line) => `  ${line}`).join(',\n')
  return [
    `create table ${name} (\n${body}\n);`,
    ...indexes.map((index) => `${index.replaceAll('public.', '')};`),
    ...policies.map((policy) => `-- policy ${policy}`),
    ...triggers.map((trigger) => `${trigger.replaceAll('public.', '')};`),
  ].join('\n')
}
