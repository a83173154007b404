import { expect, test } from 'vitest'
import { splitMysql } from './split-mysql.ts'

test.each([
  ['two', 'select 1; select 2;', ['select 1', 'select 2']],
  ['nothing', ' ;; -- only this\n# and this\n /* and this; */ ; ', []],
  ['quotes', "select ';', \"a;b\", `c;d`, 'it''s;' ; select 2", ["select ';', \"a;b\", `c;d`, 'it''s;'", 'select 2']],
  ['backslashes', String.raw`select '\';', 1; select 2`, [String.raw`select '\';', 1`, 'select 2']],
  ['a backslash in a name', 'select `\\`; select 2', ['select `\\`', 'select 2']],
  ['dashes that begin no comment', 'select 3--2; select 2', ['select 3--2', 'select 2']],
  ['comments', 'select 1 -- a;b\n, 2 # c;d\n, /* e; */ 3; select 4', ['select 1 -- a;b\n, 2 # c;d\n, /* e; */ 3', 'select 4']],
  ['a comment that runs', '/*!40101 set names utf8 */; select 1', ['/*!40101 set names utf8 */', 'select 1']],
  [
    'a procedure',
    'delimiter //\ncreate procedure p() begin select 1; select 2; end //\nDELIMITER ;\ncall p(); select 3',
    ['create procedure p() begin select 1; select 2; end', 'call p()', 'select 3'],
  ],
  ['a column of that name', 'select 1,\ndelimiter from t; select 2', ['select 1,\ndelimiter from t', 'select 2']],
  ['an open quote', `select 1; select ';`, ['select 1', `select ';`]],
])('%s', (_what, text, expected) => expect(splitMysql(text).map((statement) => statement.text)).toEqual(expected))

test('each tells where it begins', () => {
  const text = '  select 1;\n\n  select 2'
  for (const statement of splitMysql(text)) expect(text.slice(statement.start)).toMatch(new RegExp(`^${statement.text}`))
})
