import { createFileRoute } from '@tanstack/react-router'
import { InvitationScreen } from '../areas/identity/invitation-screen.tsx'

export const Route = createFileRoute('/invitation')({ component: InvitationScreen })
