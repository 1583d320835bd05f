const linesMax = 1000
const lineMax = 4096

export interface LogLine {
	atMs: number
	stream: 'stderr' | 'stdout' | 'signalbox'
	text: string
}

/** The last lines that a program wrote, without the secrets that it was given. */
export class LogRing {
	#secrets: readonly string[] = []
	#lines: LogLine[] = []

	constructor(secrets: Iterable<string>) {
		this.hide(secrets)
	}

	/** What is left out of all lines from now on, beside what was before. */
	hide(secrets: Iterable<string>): void {
		// Longest first, so that a secret inside another does not leave the rest of it; the shortest are no secrets.
		const all = new Set([...this.#secrets, ...secrets])
		this.#secrets = [...all].filter(({ length }) => length >= 4).sort((a, b) => b.length - a.length)
	}

	add(atMs: number, stream: LogLine['stream'], text: string): void {
		this.#lines.push({ atMs, stream, text: this.#shorten(this.#redact(text)) })
		if (this.#lines.length > linesMax * 2) this.#lines = this.#lines.slice(-linesMax)
	}

	/** Oldest first. */
	last(count: number): LogLine[] {
		return this.#lines.slice(-Math.min(count, linesMax))
	}

	#redact(text: string): string {
		return this.#secrets.reduce((left, secret) => left.replaceAll(secret, '[redacted]'), text)
	}

	/** A cut may leave the beginning of a secret at the end of the line. */
	#shorten(text: string): string {
		const plain = text.toWellFormed().replaceAll(/\p{Cc}/gu, ' ')
		return plain.length <= lineMax ? plain : `${plain.slice(0, lineMax)} …`
	}
}
