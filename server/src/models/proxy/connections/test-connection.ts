import type { Provider } from '@signalbox/contract'
import { Problem } from '../../../platform/errors.ts'
import { redactText } from '../../../platform/redaction/redact.ts'
import { providers } from '../providers/index.ts'
import type { CredentialTools, HeaderList, Probe } from '../providers/provider.ts'
import { joinPath } from './connection-view.ts'

/** The result of requesting a provider's list of models. */
export interface ConnectionTest {
	ok: boolean
	/** Null if it was not reached. */
	status: number | null
	latency_ms: number
	detail: string
}

const timeoutMs = 15_000
const answerMaxBytes = 2 * 1024 * 1024
const maxSentence = 200

interface Tested {
	provider: Provider
	baseUrl: string
	/** A key, or a credential as JSON. */
	key: string
}

/**
 * Makes a request without cost with a stored credential, to the provider's list of models if it has one. Its message is returned
 * as a sentence of bounded length, without the key.
 */
export async function testConnection(tools: CredentialTools, tested: Tested): Promise<ConnectionTest> {
	const { provider, key } = tested
	const startedAt = performance.now()
	const took = () => Math.round((performance.now() - startedAt) * 10) / 10
	try {
		const probe = providers[provider].probe(key)
		const response = await ask(tools, tested, probe)
		const body: unknown = await response.json().catch(() => null)
		const { status } = response
		return { ...resultOf(status, body, probe, key), status, latency_ms: took() }
	} catch (error) {
		return { ok: false, status: null, latency_ms: took(), detail: explain(error, key) }
	}
}

async function ask(tools: CredentialTools, { provider, baseUrl, key }: Tested, probe: Probe) {
	const { origin, pathname } = new URL(baseUrl)
	const { method, body = '', headers } = probe
	const path = joinPath(pathname, probe.path)
	const outgoing = { method, origin, path, body: Buffer.from(body) }
	const authorization = await providers[provider].authorize(key, outgoing, tools)
	return tools.fetch(origin + path, {
		method,
		headers: { accept: 'application/json', ...headers, ...recordOf(authorization) },
		...(body && { body }),
		timeoutMs,
		maxBytes: answerMaxBytes,
		redirects: 0,
	})
}

function recordOf(list: HeaderList): Record<string, string> {
	return Object.fromEntries(list.flatMap((name, at) => (at % 2 === 0 ? [[name, list[at + 1] ?? '']] : [])))
}

function resultOf(status: number, body: unknown, probe: Probe, key: string): { ok: boolean; detail: string } {
	const models = status === 200 ? (probe.modelsIn?.(body) ?? null) : null
	if (models !== null) return { ok: true, detail: `The provider takes the key and lists ${models} models.` }
	if (probe.accepted?.includes(status)) return { ok: true, detail: 'The provider takes the credential.' }
	if (status === 200)
		return { ok: false, detail: 'The address answers, but not with a list of models; check base_url.' }
	if (status === 404)
		return { ok: false, detail: 'There is no list of models at this address; check base_url.' }
	const outcome =
		status === 401 || status === 403 ? 'The provider refuses the key' : `The provider answers ${status}`
	const sentence = sentenceIn(body, key)
	return { ok: false, detail: sentence ? `${outcome}: ${sentence}` : `${outcome}.` }
}

/** The `error.message` of a provider, without anything that could be part of a key. */
function sentenceIn(body: unknown, key: string): string {
	const message = (body as { error?: { message?: unknown } } | null)?.error?.message
	return typeof message === 'string' ? withoutSecrets(message, key) : ''
}

function explain(error: unknown, key: string): string {
	if (error instanceof Problem) return withoutSecrets(error.message, key)
	const { name, code } = error as NodeJS.ErrnoException
	const why =
		name === 'TimeoutError' ? `no answer within ${timeoutMs / 1000} s` : (code ?? 'the connection failed')
	return `The provider could not be reached: ${why}.`
}

/** Providers quote keys, sometimes masked in the middle: removes words with a mask, and long ones with digits. */
function withoutSecrets(text: string, key: string): string {
	const words = redactText(text)
		.replaceAll(key, '[redacted]')
		.slice(0, 10 * maxSentence)
	return words
		.replace(/\S*\*{2,}\S*/g, '[redacted]')
		.replace(/[\w./+=-]{12,}/g, (word) => (/\d/.test(word) || key.includes(word) ? '[redacted]' : word))
		.replace(/\s+/g, ' ')
		.slice(0, maxSentence)
		.trim()
}
