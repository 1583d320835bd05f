import { mkdirSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'

// Runs statements in an engine with a keeper and the macros of a cluster's node, and writes what each answered as one JSON list. A
// process of its own: the engine takes its configuration when it is loaded. Its keeper takes tables, and no rows.

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
// An exit in order would wait for the keeper for ever.
process.stdout.write(answers, () => process.kill(process.pid, 'SIGKILL'))

/** The answer, or the error in words. */
function run(statement: string): string {
	try {
		return session.query(statement, 'TSVRaw').toString()
	} catch (error) {
		return `failed: ${(error as Error).message}`
	}
}
