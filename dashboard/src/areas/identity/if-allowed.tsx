import type { ReactNode } from 'react'
import { Page } from '../../ui/page.tsx'
import { RoleHint } from './role-hint.tsx'
import { type Needed, useCan } from './session.ts'

interface IfAllowedProps {
	needs: Needed
	title: string
	description: string
	/** What requires the rights: `see and change webhooks`. */
	what: string
	children: ReactNode
}

/** A screen for those who have the rights; everybody else is told who can help. */
export function IfAllowed({ needs, title, description, what, children }: IfAllowedProps) {
	if (useCan(needs)) return children
	return (
		<Page title={title} description={description}>
			<RoleHint needs={needs} what={what} />
		</Page>
	)
}
