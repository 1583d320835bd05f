import { argon2Sync, timingSafeEqual } from 'node:crypto'
import { constants, setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import type { PasswordJob, PasswordResult } from './password-hasher.ts'
import { formatPhc, newPasswordParameters, type PasswordRecord, parsePhc } from './password-phc.ts'

function digest(
	password: string,
	{ memory, passes, parallelism, salt }: Omit<PasswordRecord, 'hash'>,
): Buffer {
	const parameters = {
		message: Buffer.from(password),
		nonce: salt,
		parallelism,
		tagLength: 32,
		memory,
		passes,
	}
	return argon2Sync('argon2id', parameters)
}

function work(job: PasswordJob): PasswordResult {
	if ('memoryKib' in job) {
		const parameters = newPasswordParameters(job.memoryKib)
		return { hash: formatPhc({ ...parameters, hash: digest(job.password, parameters) }) }
	}
	const record = parsePhc(job.phc)
	const actual = digest(job.password, record)
	return { matches: actual.length === record.hash.length && timingSafeEqual(actual, record.hash) }
}

// On a busy core, calls take precedence over a burst of logins. Only Linux has priorities per thread.
if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_BELOW_NORMAL)

parentPort?.on('message', (job: PasswordJob) => {
	try {
		parentPort?.postMessage(work(job))
	} catch (error) {
		parentPort?.postMessage({ error: (error as Error).message } satisfies PasswordResult)
	}
})
