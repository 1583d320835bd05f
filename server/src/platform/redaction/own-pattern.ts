import { compileRe2 } from '../re2.ts'

/** Longer matches may be missed: a text is searched in windows, so that a match costs no more than in a short text. */
export const maxMatchLength = 512
const windowLength = 4 * maxMatchLength
/** After this many matches the rest of a text is redacted as a whole. Together with the windows this limits the cost of a text. */
const maxMatches = 2000
/** Maximum size of the compiled program. The worst-case cost of a search is this size times the length of the text. */
const maxInstructions = 1000

/** Replaces matches of a custom pattern (RE2) by a label. */
export interface OwnPattern {
	replace(text: string, label: string, onMatch: () => void): string
	/** The same in steps of bounded cost, for callers that must yield in between; the last step returns the result. */
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

/** Checks a pattern from a request body; throws the error that `refused` makes if it cannot be used. */
export function requireOwnPattern(pattern: string, refused: (field: string, detail: string) => Error): void {
	try {
		compileOwnPattern(pattern)
	} catch (error) {
		if (error instanceof UnusablePattern) throw refused('pattern', error.message)
		throw error
	}
}

/** Why a pattern cannot be used, as the end of a sentence that begins with the pattern's name. */
export class UnusablePattern extends Error {
	override name = 'UnusablePattern'
}

function compile(pattern: string) {
	const compiled = parse(pattern)
	if (compiled.programSize() > maxInstructions)
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

/** The state of a search: the result so far, and where the rest begins. */
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
	for (let from = 0; from < text.length && done.matches < maxMatches; ) {
		const { match, next } = searchWindow(text, from, search)
		from = next
		if (match) take(done, text, match, replacement, onMatch)
		yield
	}
	if (done.matches < maxMatches) return done.result + text.slice(done.kept)
	onMatch()
	return done.result + replacement
}

/** An empty match replaces nothing, but counts because it cost a search. */
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
 * The first match that begins in the window at `from`, and where the search continues. The window includes the preceding character,
 * so that `\b` and `^` work, and a tail that serves only matches that begin before it.
 */
function searchWindow(text: string, from: number, search: Search): { match: Range | null; next: number } {
	const start = Math.max(0, from - 1)
	const isLast = text.length - from <= windowLength
	const found = search(isLast ? text.slice(start) : text.slice(start, from + windowLength), from - start)
	const next = isLast ? text.length : from + windowLength - maxMatchLength
	if (!found || (!isLast && start + found[0] >= next)) return { match: null, next }
	const match: Range = [start + found[0], start + found[1]]
	return { match, next: Math.max(match[1], match[0] + 1) }
}
