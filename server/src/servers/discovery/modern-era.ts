import type { Conversation } from './conversation.ts'
import { readIntroduction } from './introduction.ts'
import { type AskPage, listAllTools } from './list-tools.ts'
import { isObject } from './parse-object.ts'
import { hasSoundHeaders } from './routing-headers.ts'
import { type HttpAnswer, postRequest, resultOf, type Upstream } from './rpc.ts'

/** Revisions of the era without a handshake, newest first. */
export const modernVersions = ['2026-07-28']

const clientInfo = { name: 'signalbox', version: '1' }

function envelope({ capabilities }: Upstream, version: string) {
	return {
		'io.modelcontextprotocol/protocolVersion': version,
		'io.modelcontextprotocol/clientCapabilities': capabilities,
		'io.modelcontextprotocol/clientInfo': clientInfo,
	}
}

function ask(upstream: Upstream, version: string, method: string, params: object) {
	const headers = { 'mcp-protocol-version': version, 'mcp-method': method }
	return postRequest(upstream, method, { ...params, _meta: envelope(upstream, version) }, headers)
}

/** An old server may leave an unknown method without an answer, so the probe has a part of the time only. */
const probeShare = 0.4

/** Speaks 2026-07-28, or null when the server does not: then the legacy eras are to be tried. */
export async function converseModern(upstream: Upstream): Promise<Conversation | null> {
	const result = await probe(upstream)
	const supported = result && Array.isArray(result.supportedVersions) ? result.supportedVersions : []
	const spoken = modernVersions.find((candidate) => supported.includes(candidate))
	if (!result || !spoken) return null
	const askPage: AskPage = async (params) =>
		resultOf('tools/list', await ask(upstream, spoken, 'tools/list', params))
	const hasTools = isObject(result.capabilities) && isObject(result.capabilities.tools)
	return {
		transportType: 'http',
		protocolVersion: spoken,
		introduction: readIntroduction(result),
		listTools: async () => (hasTools ? (await listAllTools(askPage)).filter(hasSoundHeaders) : []),
		end: async () => {},
	}
}

async function probe(upstream: Upstream): Promise<Record<string, unknown> | null> {
	const newest = modernVersions[0] as string
	const first = await orNullWhenLate(upstream, (limited) => ask(limited, newest, 'server/discover', {}))
	const offered = first && offeredVersion(first)
	// Who names its versions is of this era, however late it answers next.
	const reply = offered ? await ask(upstream, offered, 'server/discover', {}) : first
	return reply?.answer?.result ?? null
}

async function orNullWhenLate<T>(upstream: Upstream, work: (limited: Upstream) => Promise<T>) {
	try {
		return await work({ ...upstream, timeoutMs: upstream.timeoutMs * probeShare })
	} catch (error) {
		if ((error as Error).name === 'TimeoutError' && !upstream.signal.aborted) return null
		throw error
	}
}

/** A server that refuses the version of a request names those that it speaks (-32022); the probe is made once more. */
function offeredVersion({ answer }: HttpAnswer): string | undefined {
	const { code, data } = answer?.error ?? {}
	const supported: unknown = code === -32022 && isObject(data) ? data.supported : null
	return modernVersions.find((version) => Array.isArray(supported) && supported.includes(version))
}
