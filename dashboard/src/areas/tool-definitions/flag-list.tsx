import { formatCounted } from '../../lib/format.ts'
import { showHidden } from '../../lib/show-hidden.ts'
import { Notice } from '../../ui/notice.tsx'
import { Badge } from '../../ui/status.tsx'
import type { DefinitionFlag } from './queries.ts'

const meanings: Readonly<Record<string, string>> = {
	unicode_tag: 'Invisible tag characters',
	invisible_character: 'Invisible zero-width characters',
	bidi_control: 'Characters that reverse text direction',
	variation_selector: 'Selectors of variants where there are none',
	control_character: 'Control characters',
	escape_sequence: 'Sequences that steer a terminal',
	mixed_script: 'Letters of another script that look alike',
	oversized_text: 'A very long text',
	private_character: 'Private characters',
	html_comment: 'A comment, which is not shown as text',
	long_whitespace: 'Text hidden behind long white space',
	encoded_text: 'Sentences in code (base64, hex or escapes)',
	instruction: 'A sentence that commands the agent',
}

/** Suspicious properties of a definition, which are hints and not verdicts. */
export function FlagList({ flags }: { flags: readonly DefinitionFlag[] }) {
	if (flags.length === 0) return null
	const isHigh = flags.some(({ severity }) => severity === 'high')
	return (
		<Notice tone={isHigh ? 'bad' : 'warn'} title={formatCounted(flags.length, 'flag')}>
			<ul aria-label="Flags" className="mt-1 grid gap-2">
				{flags.map(({ code, severity, pointer, position, excerpt }) => (
					<li key={`${code} ${pointer} ${position}`}>
						<p className="flex flex-wrap items-center gap-x-2">
							<Badge tone={severity === 'high' ? 'bad' : 'warn'}>{severity}</Badge>
							<span className="font-medium">{meanings[code] ?? code.replaceAll('_', ' ')}</span>
							<span className="font-mono text-xs break-all">
								in {showHidden(pointer) || 'the definition'}
							</span>
						</p>
						<p className="mt-1 rounded bg-surface px-2 py-1 font-mono text-xs break-all whitespace-pre-wrap text-ink">
							{showHidden(excerpt)}
						</p>
					</li>
				))}
			</ul>
		</Notice>
	)
}
