import { sql } from 'kysely'
import { systemClock } from '../clock.ts'
import { openPostgres } from '../database/open-control-store.ts'
import { openSqlite } from '../database/sqlite/driver.ts'
import { silentLog } from '../log.ts'
import { openTestRunner } from './testing.ts'

/** A process that runs jobs: `node holder.testing.ts <name> <file or URL of the store>`. It prints what it does. */
const [name = '', where = ''] = process.argv.slice(2)
const store = where.startsWith('postgres') ? await openPostgres(where, silentLog) : openSqlite(where)
const { jobs } = openTestRunner(store, systemClock)
const say = (word: string) => process.stdout.write(`${word}\n`)

jobs.handle(
	'effect',
	async (job) => {
		say('begun')
		await new Promise((done) => setTimeout(done, 400))
		const effect = job.commit(async (tx) => {
			await sql`insert into effects (holder) values (${name})`.execute(tx)
			await job.finish(tx)
		})
		await effect.then(
			() => say('done'),
			(error: Error) => {
				say('lost')
				throw error
			},
		)
	},
	{ leaseMs: 1000 },
)
jobs.start()
say('ready')
// The runner's timers do not keep the process alive.
setInterval(() => {}, 60_000)
