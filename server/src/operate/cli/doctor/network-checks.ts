import { existsSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { type Config, isLoopbackHost } from '../../../config/config.ts'
import { DirectoryInUse, lockDirectory } from '../../../platform/clickhouse/index.ts'
import { createSmtpTransport } from '../../../platform/mail/mailer.ts'
import { createSafeFetch } from '../../../platform/safe-fetch.ts'
import { type Finding, fail, ok, reasonOf, warn } from './finding.ts'

/** Whether a program holds the data directory now. */
export function isRunning({ dataDir }: Config): boolean {
	if (!existsSync(join(dataDir, 'engine.lock'))) return false
	try {
		lockDirectory(dataDir).release()
		return false
	} catch (error) {
		if (error instanceof DirectoryInUse) return true
		throw error
	}
}

/** Of a stopped program the ports must be free, of a running one the main port must answer. */
export async function checkPorts(config: Config, running: boolean): Promise<Finding[]> {
	const { HOST, PORT, OTLP_HTTP_PORT, OTLP_GRPC_PORT } = config
	if (running)
		return [await checkAnswers('main port', `http://${HOST.includes(':') ? `[${HOST}]` : HOST}:${PORT}`)]
	return [
		await checkFree('main port', HOST, PORT, 'SIGNALBOX_PORT', fail),
		...(OTLP_HTTP_PORT === 0
			? []
			: [await checkFree('OTLP port', HOST, OTLP_HTTP_PORT, 'SIGNALBOX_OTLP_HTTP_PORT', warn)]),
		...(OTLP_GRPC_PORT === 0
			? []
			: [await checkFree('OTLP/gRPC port', HOST, OTLP_GRPC_PORT, 'SIGNALBOX_OTLP_GRPC_PORT', warn)]),
	]
}

async function checkFree(
	check: string,
	host: string,
	port: number,
	setting: string,
	bad: typeof fail,
): Promise<Finding> {
	const reason = await new Promise<string | null>((resolve) => {
		const server = createServer()
		server.once('error', (error) => resolve(error.message))
		server.listen(port, host, () => server.close(() => resolve(null)))
	})
	if (reason === null) return ok(check, port === 0 ? 'a free one is taken' : `${host}:${port} is free`)
	return bad(
		check,
		`${host}:${port} cannot be taken: ${reason}`,
		`end the program that has it, or set ${setting}`,
	)
}

async function checkAnswers(check: string, base: string): Promise<Finding> {
	try {
		const status = await statusOf(`${base}/readyz`)
		if (status === 200) return ok(check, `${base} is ready`)
		return fail(check, `${base}/readyz answers ${status}`, 'see the log of the program')
	} catch (error) {
		return fail(check, `${base} does not answer: ${reasonOf(error)}`, 'see the log of the program')
	}
}

/** From here the public address should lead back to this program. */
export async function checkPublicUrl(config: Config, running: boolean): Promise<Finding[]> {
	const { PUBLIC_URL, HOST, TRUSTED_PROXIES } = config
	if (PUBLIC_URL === null) return []
	const proxy =
		isLoopbackHost(HOST) && !isLoopbackHost(new URL(PUBLIC_URL).hostname) && !TRUSTED_PROXIES
			? [
					warn(
						'proxy',
						'a proxy is in front and none is trusted: limits and audit see its address only',
						'set SIGNALBOX_TRUSTED_PROXIES to its network',
					),
				]
			: []
	return running ? [...proxy, await checkAnswers('public address', PUBLIC_URL.replace(/\/$/, ''))] : proxy
}

export async function checkMail({ SMTP_URL, MAIL_FROM }: Config): Promise<Finding[]> {
	if (SMTP_URL === null) return [ok('mail', 'no mail server: links reach the log and the operator')]
	try {
		await createSmtpTransport(SMTP_URL, MAIL_FROM ?? '').verify()
		return [ok('mail', `${new URL(SMTP_URL).hostname} takes mail`)]
	} catch (error) {
		return [fail('mail', `${new URL(SMTP_URL).hostname}: ${reasonOf(error)}`, 'correct SIGNALBOX_SMTP_URL')]
	}
}

export async function checkIssuers({ signInProviders }: Config): Promise<Finding[]> {
	return Promise.all(
		signInProviders.map(async ({ id, issuer, kind }) => {
			const check = `sign-in by ${id}`
			const url = kind === 'github' ? issuer : `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
			try {
				const status = await statusOf(url)
				if (status === 200) return ok(check, `${issuer} answers`)
				return fail(check, `${url} answers ${status}`, 'correct the _ISSUER of this provider')
			} catch (error) {
				return fail(check, `${url}: ${reasonOf(error)}`, 'correct the _ISSUER, or let this machine reach it')
			}
		}),
	)
}

/** These addresses are the operator's own settings, wherever they lead. */
async function statusOf(url: string): Promise<number> {
	const everywhere = { allowedNetworks: ['0.0.0.0/0', '::/0'], loopbackAllowed: true, forbidden: () => [] }
	const safeFetch = createSafeFetch(everywhere)
	try {
		const answer = await safeFetch.fetch(url, { timeoutMs: 5000, maxBytes: 1024 * 1024 })
		await answer.body?.cancel()
		return answer.status
	} finally {
		await safeFetch.close()
	}
}
