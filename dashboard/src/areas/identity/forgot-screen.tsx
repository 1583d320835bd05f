import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { api, unwrap } from '../../api.ts'
import { Button } from '../../ui/button.tsx'
import { linkClass } from '../../ui/link.ts'
import { Notice } from '../../ui/notice.tsx'
import { InlineError } from '../../ui/states.tsx'
import { EmailField } from './entry-fields.tsx'
import { SignInLayout } from './sign-in-layout.tsx'

/** The answer never reveals whether an account with the address exists. */
export function ForgotScreen() {
	const [email, setEmail] = useState('')
	const ask = useMutation({
		mutationFn: () => unwrap(api.POST('/auth/password/forgot', { body: { email } })),
	})
	const submit = (event: FormEvent) => {
		event.preventDefault()
		ask.mutate()
	}
	return (
		<SignInLayout
			title="Reset your password"
			text={!ask.isSuccess && 'We email you a link to set a new one.'}
			below={
				<Link to="/sign-in" className={linkClass}>
					Back to sign in
				</Link>
			}
		>
			{ask.isSuccess ? (
				<LinkAsked email={email} onAgain={() => ask.reset()} />
			) : (
				<form onSubmit={submit} className="grid gap-4">
					<EmailField value={email} onChange={setEmail} error={ask.error} />
					<Button type="submit" variant="primary" busy={ask.isPending}>
						Send the link
					</Button>
					{ask.error && <InlineError error={ask.error} />}
				</form>
			)}
		</SignInLayout>
	)
}

function LinkAsked({ email, onAgain }: { email: string; onAgain(): void }) {
	return (
		<div className="grid gap-3">
			<Notice tone="ok" title="Check your inbox">
				If {email} has an account here, a link is on its way. It works once, for 30 minutes.
			</Notice>
			<p className="text-ink-2">
				Nothing came after a few minutes? Look among the unwanted mail, or ask whoever runs this instance:
				operators see the links that no mail server took.
			</p>
			<Button onClick={onAgain}>Use another address</Button>
		</div>
	)
}
