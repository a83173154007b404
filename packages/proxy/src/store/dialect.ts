export type Dialect = 'sqlite' | 'postgres'

/** Column type of whole numbers beyond 32 bits. As a primary key in SQLite it is the row id itself. */
export const wholeNumber = (dialect: Dialect): 'integer' | 'bigint' => (dialect === 'sqlite' ? 'integer' : 'bigint')
