import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readMigrations } from '../migrations/migration-files.ts'
import { splitActions, splitStatements } from './split-statements.ts'

test('statements end where PostgreSQL ends them', () => {
  const text = `-- a; b
    create table a (b text default 'x;''y'); /* ; */ create function f() returns void language plpgsql as $$
    begin perform 1; end $$;
    create function g() returns void language plpgsql as $body$ begin perform '$$;'; end $body$;
    select "a;b" from a -- ; at the end`
  assert.deepEqual(
    splitStatements(text).map((statement) => statement.split(/\s+/).slice(0, 3).join(' ')),
    ['create table a', 'create function f()', 'create function g()', 'select "a;b" from'],
  )
})

test('the changes of a table are told apart', () => {
  assert.deepEqual(
    splitActions(`alter table only a add column b numeric(4, 2) default '1,2', -- why, and how
      add check (b in (1, 2)), drop column "c,d"`),
    [
      "alter table only a add column b numeric(4, 2) default '1,2'",
      'alter table only a add check (b in (1, 2))',
      'alter table only a drop column "c,d"',
    ],
  )
  assert.deepEqual(splitActions('update a set b = 1, c = 2'), ['update a set b = 1, c = 2'])
})

test('every statement of our migrations begins with a command', () => {
  for (const { name, text } of readMigrations()) {
    for (const statement of splitStatements(text)) {
      assert.match(
        statement,
        /^(create|alter|drop|grant|revoke|insert|update|delete|select|call|do|comment|with|truncate|set|reset|analyze|lock)\b/i,
        `${name}: ${statement.slice(0, 80)}`,
      )
    }
  }
})
