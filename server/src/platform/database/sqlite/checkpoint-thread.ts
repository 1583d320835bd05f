import { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'

const connection = new DatabaseSync(workerData as string, { timeout: 200 })
connection.exec('PRAGMA synchronous = FULL; PRAGMA wal_checkpoint(PASSIVE)')

parentPort?.once('message', () => {
	const isBlocked = connection.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()?.busy === 1
	if (!isBlocked) beginLog()
	connection.close()
	parentPort?.postMessage(!isBlocked)
})
parentPort?.postMessage('moved')

/** The first write into an empty log waits for its head to be on disk; done here, the program's next one need not. */
function beginLog(): void {
	const version = connection.prepare('PRAGMA user_version').get()?.user_version
	connection.exec(`PRAGMA user_version = ${Number(version)}`)
}
