import { Link } from '@tanstack/react-router'
import { linkClass } from '../../ui/link.ts'
import { SignInLayout } from './sign-in-layout.tsx'

const advice = {
	setup: 'Copy the full line that Signalbox printed at startup.',
	reset: 'Copy the full link from the email, or request a new one.',
	verify: 'Copy the full link from the email, or send a new one from your account page.',
	invitation:
		'Copy the full link that you were given. If it still fails, ask the person who invited you for a new one.',
}

/** The secret after `#` is missing: it was cut off when the link was copied, or the page was reloaded. */
export function BrokenLink({ kind }: { kind: keyof typeof advice }) {
	return (
		<SignInLayout
			title="The link is incomplete"
			text="The link ends with # and a secret, and works once."
			below={
				kind !== 'setup' && (
					<Link to={kind === 'reset' ? '/forgot' : '/sign-in'} className={linkClass}>
						{kind === 'reset' ? 'Get another link' : 'Go to sign in'}
					</Link>
				)
			}
		>
			<p className="text-ink-2">{advice[kind]}</p>
		</SignInLayout>
	)
}
