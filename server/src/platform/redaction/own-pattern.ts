import { compileRe2 } from '../re2.ts'

/** Longer matches may be missed: a text is searched in windows, so that a match costs what it costs in a short text. */
export const longestMatch = 512
const windowLength = 4 * longestMatch
/** From then on the rest of a text goes as a whole: with the windows it bounds what one text can cost. */
const mostMatches = 2000
/** Of the compiled pattern. Its size times the length of a text is what a search costs at worst. */
const mostInstructions = 1000

/** Finds what somebody's own pattern (RE2) describes and replaces it by a label. */
export interface OwnPattern {
	replace(text: string, label: string, onMatch: () => void): string
	/** The same in steps of a bounded cost, for those who must give way in between: the last one has the result. */
	replacing(text: string, label: string, onMatch: () => void): Iterator<void, string>
}

/** Throws `UnusablePattern`. */
export function compileOwnPattern(pattern: string): OwnPattern {
	const compiled = compile(pattern)
	const search = (text: string, from: number): [start: number, end: number] | null => {
		const matcher = compiled.matcher(text)
		return matcher.find(from) ? [matcher.start(), matcher.end()] : null
	}
	const replacing: OwnPattern['replacing'] = (text, label, onMatch) =>
		stepsOf(text, search, `[redacted:${label}]`, onMatch)
	return { replacing, replace: (...of) => lastOf(replacing(...of)) }
}

/** Throws what `refused` makes of a pattern in a body that cannot be used. */
export function requireOwnPattern(pattern: string, refused: (field: string, detail: string) => Error): void {
	try {
		compileOwnPattern(pattern)
	} catch (error) {
		if (error instanceof UnusablePattern) throw refused('pattern', error.message)
		throw error
	}
}

/** Why a pattern cannot be used, as the end of a sentence that begins with its name. */
export class UnusablePattern extends Error {
	override name = 'UnusablePattern'
}

function compile(pattern: string) {
	const compiled = parse(pattern)
	if (compiled.programSize() > mostInstructions)
		throw new UnusablePattern('is too large when its repetitions are written out')
	if (compiled.matcher('').find())
		throw new UnusablePattern('matches an empty text, so it would match everywhere')
	return compiled
}

function parse(pattern: string) {
	try {
		return compileRe2(pattern)
	} catch (error) {
		throw new UnusablePattern(`is not a pattern of RE2: ${(error as Error).message}`)
	}
}

type Search = (text: string, from: number) => Range | null
type Range = [start: number, end: number]

/** What of a text was searched: what its matches became, and where the rest begins. */
interface Progress {
	result: string
	kept: number
	matches: number
}

function lastOf(steps: Iterator<void, string>): string {
	for (;;) {
		const { done, value } = steps.next()
		if (done) return value
	}
}

function* stepsOf(
	text: string,
	search: Search,
	replacement: string,
	onMatch: () => void,
): Generator<void, string> {
	const done: Progress = { result: '', kept: 0, matches: 0 }
	for (let from = 0; from < text.length && done.matches < mostMatches; ) {
		const { match, next } = searchWindow(text, from, search)
		from = next
		if (match) take(done, text, match, replacement, onMatch)
		yield
	}
	if (done.matches < mostMatches) return done.result + text.slice(done.kept)
	onMatch()
	return done.result + replacement
}

/** An empty match replaces nothing, and counts because it was searched for. */
function take(
	done: Progress,
	text: string,
	[start, end]: Range,
	replacement: string,
	onMatch: () => void,
): void {
	done.matches++
	if (start === end) return
	onMatch()
	done.result += text.slice(done.kept, start) + replacement
	done.kept = end
}

/**
 * The first match that begins in the window at a place, and where to search on. The window has the character before it, so
 * that `\b` and `^` see the text as it is; its last part is only there for matches that begin before.
 */
function searchWindow(text: string, from: number, search: Search): { match: Range | null; next: number } {
	const start = Math.max(0, from - 1)
	const isLast = text.length - from <= windowLength
	const found = search(isLast ? text.slice(start) : text.slice(start, from + windowLength), from - start)
	const next = isLast ? text.length : from + windowLength - longestMatch
	if (!found || (!isLast && start + found[0] >= next)) return { match: null, next }
	const match: Range = [start + found[0], start + found[1]]
	return { match, next: Math.max(match[1], match[0] + 1) }
}
