import { type RefusalCode, refusals } from '@signalbox/contract'
import type { AgentEntry } from '../../access/agents/index.ts'
import type { Verdict } from '../../access/grants/index.ts'
import { namedFailure, type RpcFailure, rpcCodes } from '../../mcp-client/index.ts'
import type { ServerEntry, ToolDefinition } from '../../servers/index.ts'
import type { ServerPart } from '../enforce.ts'
import type { RefusalLinks } from './links.ts'
import { refusalText } from './refusal-text.ts'

/** What was asked for, as far as its agent may know of it. */
export interface Asked {
	agent: AgentEntry | undefined
	/** The server of the endpoint; on the aggregate there is none to be named. */
	server?: ServerEntry | undefined
	/** As the agent named it. */
	tool?: string
}

/** Refusals of access in the words of the catalogue. */
export interface AccessRefusals {
	/** Of an agent, or of a server that it has some grant on. */
	verdict(verdict: Verdict, asked: Asked, code?: number): RpcFailure
	/** A tool that does not exist reads as one that is not granted, and so does one of a server without any grant. */
	tool(
		verdict: Verdict,
		asked: Asked & { tool: string },
		found: ToolDefinition | undefined,
	): RpcFailure | null
	/** A prompt or a resource; the URI is in the data, as the protocol asks for one that is not found. */
	part(verdict: Verdict, asked: Asked, part: ServerPart): RpcFailure
	/** A server without any grant reads as one that does not exist. */
	server(agent: AgentEntry | undefined): RpcFailure
}

function urlName(code: RefusalCode): string {
	return refusals[code].link === 'definitions' ? 'review_url' : 'access_url'
}

const hidden: ReadonlySet<string> = new Set(['no_grant', 'server_unknown'])
const aboutTool: ReadonlySet<string> = new Set([...hidden, 'tool_not_selected', 'grant_expired'])
/** They tell that a tool exists. */
const aboutCall: ReadonlySet<string> = new Set(['arguments_refused', 'approval_required', 'denied_by_hint'])

/** Whoever has been granted all tools of a server may know that it has no such tool, or that it does not answer. */
function wordsOf({ allowed }: Verdict, { server }: Asked): RefusalCode {
	if (!server) return 'tool_not_granted'
	if (!allowed) return 'tool_not_selected'
	return server.healthStatus === 'unhealthy' ? 'server_not_answering' : 'tool_unknown'
}

/** A server that is on its way, or that failed, was switched off by nobody. */
const inactive: Readonly<Record<string, RefusalCode>> = {
	deploying: 'server_deploying',
	error: 'server_failed',
}

function wordsOfVerdict({ reason, detail }: Verdict): RefusalCode {
	const own = reason === 'server_inactive' ? inactive[detail ?? ''] : undefined
	return own ?? (reason as RefusalCode)
}

export function createAccessRefusals(links: RefusalLinks): AccessRefusals {
	const linkFor = (code: RefusalCode, { agent, tool, server }: Asked) => {
		const kind = refusals[code].link
		if (kind === 'definitions') return server ? links.definitions(server.workspaceId, server.id) : null
		return agent && kind === 'access' ? links.access(agent.workspaceId, agent.id, tool ?? null) : null
	}
	const refuse = (
		code: RefusalCode,
		name: string,
		rpcCode: number,
		asked: Asked,
		facts: object,
		detail?: string,
	) => {
		const { agent, server, tool } = asked
		const link = linkFor(code, asked)
		const names = { agent: agent?.name ?? null, server: server?.name ?? null, tool: tool ?? null }
		const text = refusalText(code, { ...names, status: detail ?? null, detail: detail ?? null }, link)
		return namedFailure(rpcCode, name, text, {
			status: 'denied',
			httpStatus: code === 'server_not_granted' ? 404 : 200,
			facts: { ...names, ...facts, ...(link !== null && { [urlName(code)]: link }) },
		})
	}
	const verdict: AccessRefusals['verdict'] = (given, asked, code = rpcCodes.accessDenied) =>
		refuse(wordsOfVerdict(given), given.reason, code, asked, { reason: given.reason }, given.detail)
	return {
		verdict,
		tool: (given, asked, found) => {
			if (given.allowed && found) return null
			const isAboutTool =
				given.allowed || aboutTool.has(given.reason) || (!found && aboutCall.has(given.reason))
			if (!isAboutTool) return verdict(given, asked, rpcCodes.invalidParams)
			const named = asked.server && !hidden.has(given.reason) ? asked : { ...asked, server: undefined }
			const words = wordsOf(given, named)
			const isPlain = given.allowed || aboutCall.has(given.reason) || !named.server
			const reason = isPlain ? 'tool_not_selected' : given.reason
			return refuse(words, 'tool_not_granted', rpcCodes.invalidParams, named, { reason })
		},
		part: ({ reason }, asked, part) => {
			const isPrompt = 'prompt' in part
			const tool = isPrompt ? part.prompt : part.resource
			const facts = { reason, tool: null, ...(isPrompt ? part : { uri: tool }) }
			return refuse(reason as RefusalCode, reason, rpcCodes.invalidParams, { ...asked, tool }, facts)
		},
		server: (agent) =>
			refuse(
				'server_not_granted',
				'server_not_granted',
				rpcCodes.accessDenied,
				{ agent },
				{
					reason: 'server_not_granted',
				},
			),
	}
}
