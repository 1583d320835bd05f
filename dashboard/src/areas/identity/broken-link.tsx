import { Link } from '@tanstack/react-router'
import { linkClass } from '../../ui/link.ts'
import { Entrance } from './entrance.tsx'

const advice = {
	setup: 'Copy the whole line that the program printed at its start.',
	reset: 'Copy the whole link of the mail, or ask for another one.',
	verify: 'Copy the whole link of the mail, or send yourself another one from your account.',
	invitation: 'Copy the whole link that you were given. If it stays, ask who invited you for a new one.',
}

/** The secret after `#` is missing: cut off when it was copied, or used up by loading the page again. */
export function BrokenLink({ kind }: { kind: keyof typeof advice }) {
	return (
		<Entrance
			title="The link is not complete"
			text="Such a link ends with # and a secret, and opens once."
			below={
				kind !== 'setup' && (
					<Link to={kind === 'reset' ? '/forgot' : '/sign-in'} className={linkClass}>
						{kind === 'reset' ? 'Get another link' : 'Go to sign in'}
					</Link>
				)
			}
		>
			<p className="text-ink-2">{advice[kind]}</p>
		</Entrance>
	)
}
