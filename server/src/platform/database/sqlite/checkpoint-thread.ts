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

/** The first write into an empty log waits until the log's header is on disk. Writing it here saves the program that wait. */
function beginLog(): void {
	const version = connection.prepare('PRAGMA user_version').get()?.user_version
	connection.exec(`PRAGMA user_version = ${Number(version)}`)
}
