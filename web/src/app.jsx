// SPDX-License-Identifier: MIT
import { useApp } from "./state/app.js";
import { Home } from "./home/Home.jsx";
import { Session } from "./session.jsx";
import { Gone, Announcement, Toasts } from "./ui/Notices.jsx";
import { TokenPrompt } from "./ui/TokenPrompt.jsx";

export function App() {
  const { view, tokenWanted } = useApp((s) => ({ view: s.route.view, tokenWanted: s.tokenWanted }));
  return (
    <>
      {view === "home" ? <Home /> : <Session />}
      <Gone />
      <Toasts />
      <Announcement />
      {tokenWanted && <TokenPrompt />}
    </>
  );
}
