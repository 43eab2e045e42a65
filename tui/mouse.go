package tui

import tea "github.com/charmbracelet/bubbletea"

const wheelRows = 3

// mouse takes a click or the wheel.
func (a *App) mouse(m tea.MouseEvent) tea.Cmd {
	if a.prompt != nil || a.choice != nil {
		return nil
	}
	if m.IsWheel() {
		by := wheelRows
		if m.Button == tea.MouseButtonWheelUp {
			by = -by
		} else if m.Button != tea.MouseButtonWheelDown {
			return nil
		}
		return a.wheel(m.X, m.Y, by)
	}
	if m.Action != tea.MouseActionPress || m.Button != tea.MouseButtonLeft {
		return nil
	}
	a.play.on = false
	l := &a.lay
	b := l.body
	switch {
	case m.Y >= 1 && m.Y < 1+l.stripH:
		a.summary, a.over = nil, nil
		return a.stripClick(m.X)
	case a.over != nil:
		a.over = nil
		return nil
	case a.summary != nil:
		if i := m.Y - b.y - 1; i >= 0 && i < len(a.summary.at) && a.summary.at[i] >= 0 {
			return a.summary.take(a, a.summary.at[i])
		}
		a.summary = nil
		return nil
	case l.list.holds(m.X, m.Y):
		a.focusOn(paneList)
		if i := a.list.top + m.Y - l.list.y; i < a.rows() {
			return a.goRow(i)
		}
	case l.findings.holds(m.X, m.Y):
		a.focusOn(paneFindings)
		if i := m.Y - l.findings.y; i < len(a.finds.at) {
			a.selectFinding(a.finds.at[i])
		}
	case l.detail.holds(m.X, m.Y):
		a.focusOn(paneDetail)
		row := a.detail.top + m.Y - l.detail.y
		if row < len(a.detail.rows) {
			again := a.detail.cursor == row
			a.detail.cursor = row
			if m.X == l.detail.x || again {
				return a.fold("")
			}
		}
	case l.single && m.Y == b.y:
		return a.tabClick(m.X)
	case !l.single && m.Y == l.detail.y-1 && m.X >= l.detail.x:
		return a.viewClick(m.X - l.detail.x)
	}
	return nil
}

func (a *App) focusOn(p paneID) {
	if a.focus != p {
		a.focus = p
		a.layout()
	}
}

func (a *App) wheel(x, y, by int) tea.Cmd {
	switch {
	case a.over != nil:
		a.over.top = max(min(a.over.top+by, a.over.n-a.over.h), 0)
	case a.summary != nil:
		a.summary.cursor = min(max(a.summary.cursor+by/wheelRows, 0), max(len(a.summary.rules)-1, 0))
	case a.lay.detail.holds(x, y):
		a.detail.move(by)
	case a.lay.findings.holds(x, y):
		a.selectFinding(a.finds.cursor + by/wheelRows)
	default:
		return a.goRow(a.list.cursor + by)
	}
	return nil
}

// tabClick finds the pane whose name was clicked.
func (a *App) tabClick(x int) tea.Cmd {
	at := 1
	for i, n := range []string{"frames", "frame:" + viewNames[a.detail.view], "findings  "} {
		if at += len(n) + 2; x < at {
			a.focusOn(paneID(i))
			return nil
		}
	}
	return nil
}

// viewClick finds the view whose name was clicked in the title of the frame.
func (a *App) viewClick(x int) tea.Cmd {
	at := 2 + len(a.nameOf(a.frame())+" ") // behind "─ "
	for i, n := range viewNames {
		if at += len(n) + 2; x < at {
			return view(viewID(i))(a, "")
		}
	}
	return nil
}
