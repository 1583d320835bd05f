import { createFileRoute } from '@tanstack/react-router'
import { SessionScreen } from '../../areas/sessions/session-screen.tsx'

export const Route = createFileRoute('/_app/sessions/$sessionId')({ component: SessionScreen })
