import { startTimer } from '../../platform/clock.ts'
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

/** A server that is asked whether it speaks 2026-07-28. */
export interface ModernProbe {
	/** Resolves when it answered anything at all, or never will. */
	heard: Promise<void>
	/** Null when the server does not speak it: then the legacy eras are to be tried. */
	conversation: Promise<Conversation | null>
}

export function probeModern(upstream: Upstream): ModernProbe {
	const timer = startTimer()
	const first = ask(upstream, modernVersions[0] as string, 'server/discover', {})
	const conversation = first.then((reply) => converse(upstream, reply, timer))
	// Both may be left alone when another era answers first.
	conversation.catch(() => {})
	return {
		heard: first.then(
			() => {},
			() => {},
		),
		conversation,
	}
}

async function converse(
	upstream: Upstream,
	first: HttpAnswer,
	timer: () => number,
): Promise<Conversation | null> {
	const offered = offeredVersion(first)
	const reply = offered ? await ask(upstream, offered, 'server/discover', {}) : first
	const latencyMs = timer()
	const result = reply.answer?.result
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
		latencyMs,
		listTools: async () => (hasTools ? (await listAllTools(askPage)).filter(hasSoundHeaders) : []),
		end: async () => {},
	}
}

/** A server that refuses the version of a request names those that it speaks (-32022); the probe is made once more. */
function offeredVersion({ answer }: HttpAnswer): string | undefined {
	const { code, data } = answer?.error ?? {}
	const supported: unknown = code === -32022 && isObject(data) ? data.supported : null
	return modernVersions.find((version) => Array.isArray(supported) && supported.includes(version))
}
