import { randomBytes } from 'node:crypto'
import type { ControlStore } from '../../server/src/platform/database/database.ts'
import { controlStorePath } from '../../server/src/platform/database/open-control-store.ts'
import { openSqlite } from '../../server/src/platform/database/sqlite/driver.ts'
import { openTestPostgres } from '../../server/src/platform/database/testing.ts'

export interface StoreUnderTest {
	name: string
	/** Settings of the program that uses it. */
	environment: Record<string, string>
	/** Runs `work` on the store while no program uses it. */
	use<T>(work: (store: ControlStore) => Promise<T>): Promise<T>
	close(): Promise<void>
}

export function sqliteIn(dataDir: string): StoreUnderTest {
	return {
		name: 'SQLite',
		environment: {},
		use: async (work) => {
			const store = openSqlite(controlStorePath(dataDir))
			try {
				return await work(store)
			} finally {
				await store.close()
			}
		},
		close: async () => {},
	}
}

/** The server in `DATABASE_URL`, otherwise one of our own on the load generator's core. */
export async function newPostgres(): Promise<StoreUnderTest> {
	const { store, url, end } = await openTestPostgres()
	return {
		name: 'PostgreSQL',
		environment: { DATABASE_URL: url, SIGNALBOX_MASTER_KEY: randomBytes(32).toString('hex') },
		use: (work) => work(store),
		close: end,
	}
}
