import { type Detector, detectors } from './detectors.ts'

/** A text without what is private in it. */
interface Redacted {
	text: string
	/** How often each detector found something; empty when the text is as it was. */
	found: ReadonlyMap<string, number>
}

const nothing: ReadonlyMap<string, number> = new Map()

/** Replaces what the detectors find by `[redacted:<detector>]`, so that a reader sees that something was there, and what. */
export function redact(text: string, by: readonly Detector[] = detectors): Redacted {
	let result = text
	let found: Map<string, number> | null = null
	for (const detector of by) {
		if (!detector.mayHold(result)) continue
		let count = 0
		result = replaceMatches(result, detector, () => {
			count += 1
		})
		if (count > 0) found = (found ?? new Map()).set(detector.name, count)
	}
	return { text: result, found: found ?? nothing }
}

function replaceMatches(text: string, detector: Detector, onMatch: () => void): string {
	let result = ''
	let from = 0
	for (let found = detector.find(text, 0); found; found = detector.find(text, from)) {
		onMatch()
		result += `${text.slice(from, found.start + found.kept)}[redacted:${detector.name}]`
		from = found.end
	}
	return from === 0 ? text : result + text.slice(from)
}
