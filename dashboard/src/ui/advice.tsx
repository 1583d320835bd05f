import { type ProblemCode, problems, remedyForPeople } from '@signalbox/contract/problems'
import { basePath } from '../lib/base-url.ts'

/** What to do about a failure, from the error catalogue; `className` sets its colour. */
export function Advice({ code, className }: { code: string; className: string }) {
	// The failure's own text already says it.
	if (code === 'unreachable') return null
	const known = code in problems ? remedyForPeople(code as ProblemCode) : null
	if (!known) return <p className={className}>Try again. If the problem persists, see the program’s log.</p>
	return (
		<p className={className}>
			{known.replaceAll('`', '')}{' '}
			<a
				href={`${basePath}/docs/errors#${code}`}
				target="_blank"
				rel="noreferrer"
				className="underline underline-offset-2"
			>
				About this error
			</a>
		</p>
	)
}
