import type { AttributeValue } from '../span-row.ts'
import * as names from './names.ts'
import { first, firstInteger, firstText, type HotValues, type Names } from './names.ts'

/**
 * Claude Code, Codex, Gemini CLI and Qwen Code report their calls under attribute names of their own: Claude Code in spans and log
 * events, the others in log events, next to spans that repeat them. This file converts them to the names of the common conventions.
 */

const { clients, tokens } = names

/** Log events that report a finished call. */
interface LoggedCall {
	dialect: 'claude_code' | 'codex' | 'gemini_cli' | 'qwen_code'
	kind: 'model_call' | 'tool_call'
}
const claude = 'claude_code' as const
export const loggedCalls: ReadonlyMap<string, LoggedCall> = new Map([
	['claude_code.api_request', { dialect: claude, kind: 'model_call' }],
	['claude_code.api_error', { dialect: claude, kind: 'model_call' }],
	['claude_code.tool_result', { dialect: claude, kind: 'tool_call' }],
	['codex.api_request', { dialect: 'codex', kind: 'model_call' }],
	['codex.sse_event', { dialect: 'codex', kind: 'model_call' }],
	['codex.tool_result', { dialect: 'codex', kind: 'tool_call' }],
	['gemini_cli.api_response', { dialect: 'gemini_cli', kind: 'model_call' }],
	['gemini_cli.api_error', { dialect: 'gemini_cli', kind: 'model_call' }],
	['gemini_cli.tool_call', { dialect: 'gemini_cli', kind: 'tool_call' }],
	['qwen-code.api_response', { dialect: 'qwen_code', kind: 'model_call' }],
	['qwen-code.api_error', { dialect: 'qwen_code', kind: 'model_call' }],
	['qwen-code.tool_call', { dialect: 'qwen_code', kind: 'tool_call' }],
])
const providers = { claude_code: 'anthropic', codex: 'openai', gemini_cli: 'gcp.gemini' } as const

/** The client whose names the attributes have; '' for any other. */
export function clientOf(values: HotValues): LoggedCall['dialect'] | '' {
	if (first(values, clients.event) !== undefined)
		return loggedCalls.get(firstText(values, clients.event))?.dialect ?? ''
	const type = first(values, clients.spanType)
	if (type === undefined) return ''
	const isClaude = type === 'interaction' || isRequest(values) || first(values, clients.toolUse) !== undefined
	return isClaude ? claude : ''
}

const isRequest = (values: HotValues) =>
	firstText(values, clients.spanType) === 'llm_request' && first(values, clients.requestContext) !== undefined

/** Codex's path of the agent that a person talks to, which has no name. Those below it are `/root/…`. */
const unnamedAgent = '/root'

/** The same with names of the common conventions; other attributes are unchanged. */
export function inCommonConventions(values: HotValues, dialect: LoggedCall['dialect']): HotValues {
	const common = [...values]
	const set = (keys: Names, value: AttributeValue | undefined) => {
		if (value !== undefined && value !== '') common[keys[0] as number] = value
	}
	const kind = kindOf(values)
	set(names.operation, kind === 'model_call' ? 'chat' : kind === 'tool_call' ? 'execute_tool' : 'step')
	set(names.user, first(values, clients.user))
	set(names.errorType, first(values, clients.errorType))
	if (dialect === 'codex' && firstText(values, names.agentName) === unnamedAgent)
		for (const key of names.agentName) common[key] = undefined
	if (kind === 'tool_call') {
		set(names.toolName, first(values, clients.toolName))
		set(names.serverName, first(values, clients.server))
	}
	if (kind !== 'model_call') return common
	set(names.provider, dialect === 'qwen_code' ? first(values, clients.authType) : providers[dialect])
	set(names.modelRequested, first(values, clients.model))
	set(names.msToFirstChunk, first(values, clients.msToFirstToken))
	set(names.cost, first(values, clients.cost))
	set(names.httpStatus, first(values, clients.statusCode))
	setUsage(values, dialect, set)
	return common
}

function kindOf(values: HotValues): 'model_call' | 'tool_call' | 'other' {
	const logged = loggedCalls.get(firstText(values, clients.event))
	if (logged) return logged.kind
	if (isRequest(values)) return 'model_call'
	// The inner spans of a tool are its waiting and its running.
	return firstText(values, clients.spanType) === 'tool' ? 'tool_call' : 'other'
}

/** Counts as in the common conventions: cache tokens are part of the input, reasoning tokens part of the output. */
function setUsage(
	values: HotValues,
	dialect: LoggedCall['dialect'],
	set: (keys: Names, value: AttributeValue) => void,
): void {
	const [input, output] = [clients.inputTokens, clients.outputTokens].map((of) => firstInteger(values, of))
	if (input == null && output == null) return
	const count = (of: Names) => Math.max(0, firstInteger(values, of) ?? 0)
	const [read, written] = [count(clients.cacheReadTokens), count(clients.cacheWriteTokens)]
	const reasoning = count(clients.reasoningTokens)
	// Claude Code reports the input without cached tokens. Gemini CLI reports reasoning tokens, and tokens that tools added to the
	// prompt, in addition to the sums.
	const more =
		dialect === claude ? read + written : dialect === 'gemini_cli' ? count(clients.toolPromptTokens) : 0
	// Qwen Code forwards its provider's counts. Some providers count reasoning as part of the output, others in addition to it.
	const isBeside =
		dialect === 'gemini_cli' ||
		(dialect === 'qwen_code' && count(clients.totalTokens) === (input ?? 0) + (output ?? 0) + reasoning)
	set(tokens.input, BigInt((input ?? 0) + more))
	set(tokens.output, BigInt((output ?? 0) + (isBeside ? reasoning : 0)))
	set(tokens.cacheRead, BigInt(read))
	set(tokens.cacheWrite, BigInt(written))
	set(tokens.reasoning, BigInt(reasoning))
}
