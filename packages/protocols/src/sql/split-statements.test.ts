import { expect, test } from 'vitest'
import { splitStatements } from './split-statements.ts'

const texts = (text: string): string[] => splitStatements(text).map((statement) => statement.text)

test.each([
  ['one without a semicolon', 'select 1', ['select 1']],
  ['two', 'select 1; select 2;', ['select 1', 'select 2']],
  ['nothing', ' ;; -- only this\n /* and this */ ; ', []],
  ['a semicolon in quotes', `select ';', "a;b", 'it''s;' ; select 2`, [`select ';', "a;b", 'it''s;'`, 'select 2']],
  ['an escaped quote', String.raw`select e'\';', 1; select 2`, [String.raw`select e'\';', 1`, 'select 2']],
  ['a backslash that escapes nothing', String.raw`select '\'; select 2`, [String.raw`select '\'`, 'select 2']],
  ['dollar quotes', 'do $x$ begin; $$ ; $$ end $x$; select $1', ['do $x$ begin; $$ ; $$ end $x$', 'select $1']],
  ['a dollar inside a name', 'select a$b$ from t; select c$b$', ['select a$b$ from t', 'select c$b$']],
  ['comments that nest', 'select /* a /* b; */ ; */ 1; select 2 -- ;\n', ['select /* a /* b; */ ; */ 1', 'select 2 -- ;']],
  [
    'the body of a function',
    'create function f() returns int begin atomic select case when true then 1 end; select 2; end; select 3',
    ['create function f() returns int begin atomic select case when true then 1 end; select 2; end', 'select 3'],
  ],
  ['a transaction', 'begin; select 1; end; select 2', ['begin', 'select 1', 'end', 'select 2']],
  ['an open quote', `select 1; select ';`, ['select 1', `select ';`]],
])('%s', (_what, text, expected) => expect(texts(text)).toEqual(expected))

test('each tells where it begins', () => {
  const text = '  select 1;\n\n  select 2'
  for (const statement of splitStatements(text)) expect(text.slice(statement.start)).toMatch(new RegExp(`^${statement.text}`))
})
