import { mkdirSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'

// Runs statements in an engine with a keeper and the macros of a cluster node, and prints the results as one JSON list. It is a
// separate process, because the engine reads its configuration when it is loaded. Its keeper accepts tables, but no rows.

interface Session {
	query(sql: string, format: string): string
}

const configuration = `<clickhouse>
	<zookeeper><implementation>testkeeper</implementation></zookeeper>
	<macros><shard>1</shard><replica>a</replica></macros>
</clickhouse>`

const [directory = ''] = process.argv.slice(2)
const { Session } = createRequire(import.meta.url)('chdb') as {
	Session: new (path: string, options: { connectionArgs: string[] }) => Session
}
const configPath = join(directory, 'config.xml')
mkdirSync(directory, { recursive: true })
writeFileSync(configPath, configuration)
const session = new Session(join(directory, 'data'), { connectionArgs: [`--config-file=${configPath}`] })
const statements = JSON.parse(await text(process.stdin)) as string[]
const answers = JSON.stringify(statements.map((statement) => run(statement)))
// A regular exit would wait for the keeper forever.
process.stdout.write(answers, () => process.kill(process.pid, 'SIGKILL'))

/** The result, or the error message. */
function run(statement: string): string {
	try {
		return session.query(statement, 'TSVRaw').toString()
	} catch (error) {
		return `failed: ${(error as Error).message}`
	}
}
