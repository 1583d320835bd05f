import { type ProblemCode, problems, remedyOf } from '@signalbox/contract/problems'
import { basePath } from '../lib/base-url.ts'

/** What to do about a failure, in the words of the catalogue. */
export function Advice({ code }: { code: string }) {
	const known = code in problems ? remedyOf(code as ProblemCode) : null
	if (!known)
		return (
			<p className="max-w-lg text-ink-3">Try again. If it stays, the log of the program has the cause.</p>
		)
	return (
		<p className="max-w-lg text-ink-3">
			{known.replaceAll('`', '')}{' '}
			<a
				href={`${basePath}/docs/errors#${code}`}
				target="_blank"
				rel="noreferrer"
				className="text-accent underline underline-offset-2"
			>
				About this error
			</a>
		</p>
	)
}
