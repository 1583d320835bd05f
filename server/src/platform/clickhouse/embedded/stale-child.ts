import { setTimeout as sleep } from 'node:timers/promises'
import { isSameProcess, type ProcessIdentity } from './process-identity.ts'

const ownEndMs = 3_000
const killEndMs = 5_000

/**
 * Ends the engine process of a parent that is gone. It ends by itself when its parent dies, so it gets a moment;
 * then it is killed, which loses nothing acknowledged.
 */
export async function endStaleChild(
	child: ProcessIdentity,
): Promise<'none' | 'ended' | 'killed' | 'still there'> {
	if (!isSameProcess(child)) return 'none'
	if (await waitForEnd(child, ownEndMs)) return 'ended'
	kill(child.pid)
	return (await waitForEnd(child, killEndMs)) ? 'killed' : 'still there'
}

async function waitForEnd(child: ProcessIdentity, timeoutMs: number): Promise<boolean> {
	for (let waitedMs = 0; waitedMs < timeoutMs; waitedMs += 50) {
		if (!isSameProcess(child)) return true
		await sleep(50)
	}
	return false
}

function kill(pid: number): void {
	try {
		process.kill(pid, 'SIGKILL')
	} catch {
		// It ended in the meantime.
	}
}
