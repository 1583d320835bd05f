import {
	type AccessReason,
	accessReasons,
	type DeniableHint,
	fillRefusal,
	type RefusalCode,
	refusals,
} from '@signalbox/contract'
import type { AccessQuestion } from './decide-access.ts'
import type { GrantEntry } from './grant-entry.ts'

/** What one enabled grant says; of several, that with the highest rank counts. */
export interface GrantDecision {
	rank: number
	allowed: boolean
	reason: AccessReason
	text(tool: string, agent: string, server: string, detail: string): string
	detail?: string
}

function allow(reason: AccessReason, rank: number): GrantDecision {
	return { rank, allowed: true, reason, text: () => accessReasons[reason] }
}

function deny(reason: AccessReason & RefusalCode, rank: number): GrantDecision {
	const { text } = refusals[reason]
	return {
		...{ rank, allowed: false, reason },
		text: (tool, agent, server, detail) => fillRefusal(text, { tool, agent, server, detail }),
	}
}

const opinions = {
	all: allow('granted_all', 7),
	selected: allow('granted_selected', 6),
	constrained: allow('granted_constrained', 5),
	onApproval: allow('granted_on_approval', 4),
	ask: deny('approval_required', 3),
	refused: deny('arguments_refused', 2),
	hinted: deny('denied_by_hint', 1),
	unnamed: deny('tool_not_selected', 0),
	unnamedPrompt: deny('prompt_not_selected', 0),
	unnamedResource: deny('resource_not_selected', 0),
}

/** What one enabled grant says to a question about its agent and server. */
export function judgeGrant(grant: GrantEntry, question: AccessQuestion): GrantDecision {
	const { tool } = question
	const whole = grant.accessMode === 'all'
	if (tool === null) {
		if (whole) return opinions.all
		return judgePart(grant, question)
	}
	if (!whole && !grant.allowedTools?.has(tool)) return opinions.unnamed
	const hint = grant.deniedHints && deniedHint(grant.deniedHints, question.definition)
	if (hint) return { ...opinions.hinted, detail: hint }
	return judgeLimits(grant, tool, question) ?? (whole ? opinions.all : opinions.selected)
}

/**
 * Why a tool is denied by its annotations, or null. Where its server says nothing, the defaults of MCP count: a tool may
 * destroy unless it only reads, and may reach an open world.
 */
function deniedHint(
	denied: ReadonlySet<DeniableHint>,
	definition: AccessQuestion['definition'],
): string | null {
	const annotations = definition?.annotations
	const { readOnlyHint, destructiveHint, openWorldHint } = (
		typeof annotations === 'object' && annotations !== null ? annotations : {}
	) as Record<string, unknown>
	if (
		denied.has('destructiveHint') &&
		destructiveHint !== false &&
		(destructiveHint === true || readOnlyHint !== true)
	)
		return destructiveHint === true ? 'its server says it may destroy' : 'it may destroy, as far as is known'
	if (denied.has('openWorldHint') && openWorldHint !== false)
		return openWorldHint === true ? 'its server says it is open-world' : 'it may reach an open world'
	return null
}

/** What a grant of single things says to a question about no tool. */
function judgePart(grant: GrantEntry, { prompt, resource }: AccessQuestion): GrantDecision {
	if (prompt !== undefined)
		return grant.allowedPrompts?.has(prompt) ? opinions.selected : opinions.unnamedPrompt
	if (resource === undefined) return opinions.selected
	const matches = grant.allowedResources?.some((pattern) => pattern.matches(resource)) ?? false
	return matches ? opinions.selected : opinions.unnamedResource
}

/** Null when the grant sets no limits to the tool. */
function judgeLimits(
	{ constraints, asks }: GrantEntry,
	tool: string,
	asked: AccessQuestion,
): GrantDecision | null {
	const constraint = constraints?.get(tool)
	const ask = asks?.has(tool) ?? false
	if (!constraint && !ask) return null
	if (asked.arguments === undefined) return ask ? opinions.onApproval : opinions.constrained
	const detail = constraint?.refusal(asked.arguments) ?? null
	if (detail !== null) return { ...opinions.refused, detail }
	return ask ? opinions.ask : opinions.constrained
}
