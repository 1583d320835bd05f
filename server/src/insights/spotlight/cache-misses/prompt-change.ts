import type { Exchange, ExchangePart } from '../../../telemetry/index.ts'

type Parts = Exchange['parts']

/** The first piece that is another one than in the call before. */
export interface PartChange {
	kind: 'tool' | 'system' | 'message'
	name: string
	/** From 0, among the tools or among the system texts and messages. */
	position: number
	change: 'added' | 'removed' | 'changed' | 'moved'
	/** The pieces at that place; '' where there is none. */
	beforeHash: string
	afterHash: string
}

/** What is different in the prompt of a call against the one before it. */
export interface PromptChange {
	tool: PartChange | null
	/** The first other one of system texts and messages; what only follows at the end is none. */
	text: PartChange | null
	/** There are fewer messages than before, and another one among them. */
	compacted: boolean
	settings: boolean
	cacheSettings: boolean
	/** The one difference is another last message: two questions about the same. */
	branched: boolean
	/** Which share of the prompt before both have in common, 0 to 1, by bytes. */
	common: number
}

export function changeOf(before: Parts, after: Parts): PromptChange {
	const [oldTexts, newTexts] = [textsOf(before), textsOf(after)]
	const tool = toolChange(toolsOf(before), toolsOf(after))
	const text = textChange(oldTexts, newTexts)
	const branched =
		tool === null &&
		text?.kind === 'message' &&
		text.position === oldTexts.length - 1 &&
		newTexts.length <= oldTexts.length
	return {
		tool,
		text,
		compacted: text?.kind === 'message' && messagesIn(newTexts) < messagesIn(oldTexts),
		settings: settingsHash(before, 'prompt') !== settingsHash(after, 'prompt'),
		cacheSettings: settingsHash(before, 'cache') !== settingsHash(after, 'cache'),
		branched,
		common: commonShare(before, after),
	}
}

function toolsOf(parts: Parts): ExchangePart[] {
	return parts.filter(({ kind }) => kind === 'tool')
}

/** Without a line that providers leave out of the prompt. */
export function textsOf(parts: Parts): ExchangePart[] {
	return parts.filter(({ kind, name }) => (kind === 'system' && name !== 'attribution') || kind === 'message')
}

function messagesIn(texts: readonly ExchangePart[]): number {
	return texts.filter(({ kind }) => kind === 'message').length
}

function firstDifference(before: readonly ExchangePart[], after: readonly ExchangePart[]): number {
	const length = Math.max(before.length, after.length)
	for (let at = 0; at < length; at++) if (before[at]?.hash !== after[at]?.hash) return at
	return -1
}

function toolChange(before: readonly ExchangePart[], after: readonly ExchangePart[]): PartChange | null {
	const position = firstDifference(before, after)
	if (position < 0) return null
	const [old, fresh] = [before[position], after[position]]
	const place = { kind: 'tool' as const, position, beforeHash: old?.hash ?? '', afterHash: fresh?.hash ?? '' }
	if (old && !has(after, old)) return { ...place, name: old.name, change: 'removed' }
	if (fresh && !has(before, fresh)) return { ...place, name: fresh.name, change: 'added' }
	const name = (fresh ?? (old as ExchangePart)).name
	return { ...place, name, change: old?.name === fresh?.name ? 'changed' : 'moved' }
}

function has(tools: readonly ExchangePart[], { name }: ExchangePart): boolean {
	return tools.some((tool) => tool.name === name)
}

function textChange(before: readonly ExchangePart[], after: readonly ExchangePart[]): PartChange | null {
	const position = firstDifference(before, after)
	const [old, fresh] = [before[position], after[position]]
	// What follows at the end leaves the prefix as it was, and so does going back to an earlier place.
	if (!old || !fresh) return null
	const part = fresh.kind === 'system' || old.kind !== 'system' ? fresh : old
	return {
		kind: part.kind as 'system' | 'message',
		name: part.name,
		position,
		change: old.kind === fresh.kind ? 'changed' : part === fresh ? 'added' : 'removed',
		beforeHash: old.hash,
		afterHash: fresh.hash,
	}
}

function settingsHash(parts: Parts, name: string): string | undefined {
	return parts.find((part) => part.kind === 'settings' && part.name === name)?.hash
}

function commonShare(before: Parts, after: Parts): number {
	const prompt = (parts: Parts) => [...toolsOf(parts), ...textsOf(parts)]
	const [old, fresh] = [prompt(before), prompt(after)]
	const until = firstDifference(old, fresh)
	const bytes = (parts: readonly ExchangePart[]) => parts.reduce((sum, part) => sum + part.bytes, 0)
	return until < 0 ? 1 : bytes(old.slice(0, until)) / Math.max(1, bytes(old))
}
