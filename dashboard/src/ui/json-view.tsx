import { showHidden } from '../lib/show-hidden.ts'
import { scrollRegion } from './scroll-region.ts'

/** JSON as indented text with coloured names and values; hidden characters are written as `\u{…}`. */
export function JsonView({ value, label }: { value: unknown; label: string }) {
	const parts = showHidden(JSON.stringify(value, null, 2)).split(/("(?:[^"\\]|\\.)*"(?:\s*:)?)/)
	return (
		<pre
			{...scrollRegion(label)}
			className="max-h-96 overflow-auto rounded-lg bg-sunken p-3 font-mono text-xs leading-relaxed text-ink-2"
		>
			{parts.map((part, index) => (
				// biome-ignore lint/suspicious/noArrayIndexKey: the parts never move
				<span key={index} className={toneOf(part)}>
					{part}
				</span>
			))}
		</pre>
	)
}

function toneOf(part: string): string {
	if (!part.startsWith('"')) return ''
	return part.endsWith(':') ? 'text-accent' : 'text-ok'
}
