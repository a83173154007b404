/** What a database speaks, and how its server is told to trust the cluster. */
import type { Tile } from './tiles.ts'

export interface Engine {
  protocol: string
  title: string
  port: number
  /** Files of settings, each with what to write into it. */
  settings: readonly { file: string; text: string; why: string }[]
  /** What is run for it to count. */
  reload: string
}

const postgres: Engine = {
  protocol: 'postgres',
  title: 'PostgreSQL',
  port: 5432,
  settings: [
    {
      file: 'postgresql.conf',
      text: "ssl = on\nssl_cert_file = 'server.crt'\nssl_key_file = 'server.key'\nssl_ca_file = 'server.cas'",
      why: 'The server shows its certificate, and trusts those of the cluster.',
    },
    {
      file: 'pg_hba.conf',
      text: 'hostssl all all all cert',
      why: 'Who shows a certificate comes in as the user that it names. Put it before other lines for connections over the network.',
    },
  ],
  reload: 'psql -c "select pg_reload_conf()"',
}

/** MariaDB as well: they speak the same and are told the same. */
const mysql: Engine = {
  protocol: 'mysql',
  title: 'MySQL',
  port: 3306,
  settings: [
    {
      file: 'my.cnf',
      text: '[mysqld]\nssl_cert = server.crt\nssl_key = server.key\nssl_ca = server.cas',
      why: 'The server shows its certificate, and trusts those of the cluster.',
    },
    {
      file: 'SQL',
      text: "CREATE USER 'reader'@'%' REQUIRE SUBJECT '/CN=reader';",
      why: 'Each account says by which certificate it is let in. One that does not is open to whoever reaches the server.',
    },
  ],
  reload: 'sudo systemctl restart mysql',
}

const engines: Readonly<Record<string, Engine>> = { mysql, postgres }

export const engineOf = ({ id }: Pick<Tile, 'id'>): Engine => engines[id] ?? postgres
