import { EventEmitter } from 'node:events'
import { type openPrimaryProcesses, openWorkerProcesses, type Pipe, type Processes } from './processes.ts'

/** A pipe between two ends in this process. It preserves order and copies messages, like a real one. */
class End extends EventEmitter implements Pipe {
	other: End | null = null
	connected = true

	send(message: unknown): boolean {
		const copy = structuredClone(message)
		setImmediate(() => this.other?.connected && this.other.emit('message', copy))
		return true
	}

	close(): void {
		for (const end of [this, this.other as End]) {
			end.connected = false
			end.emit('disconnect')
		}
	}
}

/** A worker of a primary, with both in this process. */
export function newTestWorker(
	primary: ReturnType<typeof openPrimaryProcesses>,
	number: number,
): Processes & { end(): void } {
	const [near, far] = [new End(), new End()]
	Object.assign(near, { other: far })
	Object.assign(far, { other: near })
	primary.attach(number, near)
	return { ...openWorkerProcesses(number, far), end: () => near.close() }
}
