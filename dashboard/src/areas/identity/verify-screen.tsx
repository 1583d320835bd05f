import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { api, unwrap } from '../../api.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { cn } from '../../ui/cn.ts'
import { linkClass } from '../../ui/link.ts'
import { InlineError } from '../../ui/states.tsx'
import { BrokenLink } from './broken-link.tsx'
import { SignInLayout } from './sign-in-layout.tsx'
import { useLinkSecret } from './use-link-secret.ts'

/** Confirms by a click and not by opening the link, because programs that scan e-mails open links too. */
export function VerifyScreen() {
	const token = useLinkSecret()
	const queries = useQueryClient()
	const verify = useMutation({
		mutationFn: () => unwrap(api.POST('/auth/verify', { body: { token } })),
		onSuccess: () => queries.invalidateQueries({ queryKey: ['me'] }),
	})
	if (!token) return <BrokenLink kind="verify" />
	if (verify.data) {
		return (
			<SignInLayout title="Address confirmed" text={`${verify.data.email} is yours.`}>
				<Link to="/" className={cn(buttonClass('primary'), 'w-full')}>
					Go on
				</Link>
			</SignInLayout>
		)
	}
	return (
		<SignInLayout
			title="Confirm your e-mail address"
			text="This confirms that the mailbox is yours."
			below={
				<Link to="/account" className={linkClass}>
					Go to your account
				</Link>
			}
		>
			<Button
				variant="primary"
				className="w-full"
				busy={verify.isPending}
				disabled={verify.isError}
				onClick={() => verify.mutate()}
			>
				Confirm address
			</Button>
			{verify.error && <InlineError error={verify.error} />}
		</SignInLayout>
	)
}
