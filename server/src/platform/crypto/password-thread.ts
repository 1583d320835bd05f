import { argon2Sync, timingSafeEqual } from 'node:crypto'
import { parentPort } from 'node:worker_threads'
import { formatPhc, newPasswordParameters, type PasswordRecord, parsePhc } from './password-phc.ts'

/** `phc` null asks for a new hash. */
export interface PasswordJob {
	password: string
	phc: string | null
}
export type PasswordResult = { hash: string } | { matches: boolean } | { error: string }

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

function work({ password, phc }: PasswordJob): PasswordResult {
	if (phc === null) {
		const parameters = newPasswordParameters()
		return { hash: formatPhc({ ...parameters, hash: digest(password, parameters) }) }
	}
	const record = parsePhc(phc)
	const actual = digest(password, record)
	return { matches: actual.length === record.hash.length && timingSafeEqual(actual, record.hash) }
}

parentPort?.on('message', (job: PasswordJob) => {
	try {
		parentPort?.postMessage(work(job))
	} catch (error) {
		parentPort?.postMessage({ error: (error as Error).message } satisfies PasswordResult)
	}
})
