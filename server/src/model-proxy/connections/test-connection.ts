import type { Provider } from '@signalbox/contract'
import { Problem } from '../../platform/errors.ts'
import { redactText } from '../../platform/log.ts'
import type { SafeFetch } from '../../platform/safe-fetch.ts'
import { providers } from '../providers/index.ts'
import { joinPath } from './base-url.ts'

/** What came of asking a provider for its models. */
export interface ConnectionTest {
	ok: boolean
	/** Null when it was not reached. */
	status: number | null
	latency_ms: number
	detail: string
}

const timeoutMs = 15_000
const answerMaxBytes = 2 * 1024 * 1024
const saidMax = 200

/** Headers without which a provider does not answer. */
const needed: Partial<Record<Provider, Record<string, string>>> = {
	anthropic: { 'anthropic-version': '2023-06-01' },
}

/** Asks the provider for its list of models with a stored key. What it says comes back in a bounded sentence, without the key. */
export async function testConnection(
	safeFetch: Pick<SafeFetch, 'fetch'>,
	{ provider, baseUrl, key }: { provider: Provider; baseUrl: string; key: string },
): Promise<ConnectionTest> {
	const url = new URL(baseUrl)
	const [name, value] = providers[provider].keyHeader(key)
	const headers = { accept: 'application/json', ...needed[provider], [name]: value }
	const startedAt = performance.now()
	const took = () => Math.round((performance.now() - startedAt) * 10) / 10
	try {
		const target = url.origin + joinPath(url.pathname, 'v1/models')
		const response = await safeFetch.fetch(target, {
			headers,
			timeoutMs,
			maxBytes: answerMaxBytes,
			redirects: 0,
		})
		const body: unknown = await response.json().catch(() => null)
		const { status } = response
		return { ...judge(status, body, key), status, latency_ms: took() }
	} catch (error) {
		return { ok: false, status: null, latency_ms: took(), detail: explain(error, key) }
	}
}

function judge(status: number, body: unknown, key: string): { ok: boolean; detail: string } {
	const models = (body as { data?: unknown } | null)?.data
	if (status === 200 && Array.isArray(models))
		return { ok: true, detail: `The provider takes the key and lists ${models.length} models.` }
	if (status === 200)
		return { ok: false, detail: 'The address answers, but not with a list of models; check base_url.' }
	if (status === 404)
		return { ok: false, detail: 'There is no list of models at this address; check base_url.' }
	const verdict =
		status === 401 || status === 403 ? 'The provider refuses the key' : `The provider answers ${status}`
	const said = sentenceIn(body, key)
	return { ok: false, detail: said ? `${verdict}: ${said}` : `${verdict}.` }
}

/** The `error.message` of a provider, without anything that could be a part of a key. */
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

/** Providers echo keys, also masked in the middle: words with a mask, and long ones with digits, go. */
function withoutSecrets(text: string, key: string): string {
	const words = redactText(text)
		.replaceAll(key, '[redacted]')
		.slice(0, 10 * saidMax)
	return words
		.replace(/\S*\*{2,}\S*/g, '[redacted]')
		.replace(/[\w./+=-]{12,}/g, (word) => (/\d/.test(word) || key.includes(word) ? '[redacted]' : word))
		.replace(/\s+/g, ' ')
		.slice(0, saidMax)
		.trim()
}
