# The guard: a small shell script on its own channel. It finds the processes that
# belong to the run and ends them on request, when it has had no contact for the
# lease, or when its standard input ends because the connection is lost. It is
# sent line by line with comments and indents stripped; MARK, LEASE, LEAVE, TIMEOUT
# and MEET are set before it. It is plain POSIX shell, and uses no files.

set -f
trap '' PIPE HUP USR1
# Startup files may have broken PATH; the server keeps the one it gets.
PATH=/usr/bin:/bin:/usr/sbin:/sbin:/usr/local/bin:/run/current-system/sw/bin:$PATH
GROUP=0 RUN=0 ALONE= TIMER= PAGE= STAMP= DOUBT= EXACT=
NL='
' CLOSE=') '
# pid:birth of each process ever seen as a member, of those that belong to the
# host, and of those that LEAVE spares. The birth detects a reused pid.
MEMBERS=' ' HOSTS=' ' KEPT=' '
exec 3>&1
# In mksh, wait can miss the end of a child.
MKSH=
case ${KSH_VERSION-} in *MIRBSD* | *LEGACY*) MKSH=1 ;; esac

# can COMMAND reports whether this grep sees more than the first variable of an
# environment: its own has two, and at most one of them is the first.
can() {
	[ -n "$(MCPDBG_A=left$$ MCPDBG_B=right$$ $1 -lsF left$$ /proc/self/environ 2>/dev/null)" ] &&
		[ -n "$(MCPDBG_A=left$$ MCPDBG_B=right$$ $1 -lsF right$$ /proc/self/environ 2>/dev/null)" ]
}

# The source of process lists: /proc with readable marks, /proc without, or ps.
PROC= MARKS= SEES=
[ -r /proc/$$/stat ] && PROC=1 SEES=1
if [ -n "$PROC" ] && [ -r /proc/$$/environ ]; then
	if can grep; then
		MARKS=grep
	elif can 'grep -z'; then
		MARKS='grep -z'
	else
		ALL=$(MCPDBG_A=left$$ MCPDBG_B=right$$ head -c 1000000 /proc/self/environ /proc/$$/environ 2>/dev/null | tr '\000' '\n')
		case $ALL in '==> /proc/self/environ <=='*left$$*) case $ALL in *right$$*) MARKS=head ;; esac ;; esac
	fi
fi

# list sets LIST: a line "pid ppid pgid" for each process that is not dead.
list() {
	LIST=
	if [ -n "$PROC" ]; then
		set +f
		ALL=$(exec cat /proc/[0-9]*/stat 2>/dev/null)
		set -f
		IFS=$NL
		for LINE in $ALL; do
			# pid (command) state ppid pgid ...; the command may contain anything but a newline.
			PID=${LINE%% *} REST=${LINE#*"$CLOSE"}
			case $PID in '' | *[!0-9]*) continue ;; esac
			case $REST in *"$CLOSE"*) REST=${LINE##*"$CLOSE"} ;; esac
			case $REST in [ZXx]*) continue ;; esac
			LINE=${REST#* }
			PARENT=${LINE%% *} LINE=${LINE#* }
			PGID=${LINE%% *}
			case $PARENT$PGID in '' | *[!0-9]*) continue ;; esac
			LIST="$LIST$PID $PARENT $PGID$NL"
		done
		IFS=' '
		return
	fi
	ALL=$(ps -A -o pid= -o ppid= -o pgid= -o stat= 2>/dev/null)
	IFS=$NL
	for LINE in $ALL; do
		IFS=' '
		set -- $LINE
		case ${4:-Z} in Z*) continue ;; esac
		LIST="$LIST$1 $2 $3$NL"
	done
	IFS=' '
}

# A list without the guard itself is useless.
if [ -z "$PROC" ]; then
	list
	case "$NL$LIST" in *"$NL$$ "*) SEES=1 ;; esac
fi

# born PID sets BORN to a value that distinguishes the process from earlier and
# later ones with its pid; it is empty if the process is dead.
born() {
	BORN=
	if [ -n "$PROC" ]; then
		{ IFS= read -r LINE </proc/$1/stat; } 2>/dev/null || return 0
		REST=${LINE##*"$CLOSE"}
		IFS=' '
		set -- $REST
		case $1 in [ZXx]) ;; *) BORN=${20:-0} ;; esac
		return 0
	fi
	set -- $(ps -o lstart= -p $1 2>/dev/null)
	BORN=$1$2$3$4$5
}

# recall PAIRS sets ALIVE to the pids of those pairs whose process still lives,
# and PAIRS to these pairs.
recall() {
	ALIVE=' ' PAIRS=' '
	for PAIR in $1; do
		PID=${PAIR%%:*}
		born $PID
		[ -n "$BORN" ] && [ "$PID:$BORN" = "$PAIR" ] && ALIVE="$ALIVE$PID " PAIRS="$PAIRS$PAIR "
	done
}

# pair PIDS... sets PAIRS to pid:birth of each.
pair() {
	PAIRS=' '
	for PID in $*; do
		born $PID
		[ -n "$BORN" ] && PAIRS="$PAIRS$PID:$BORN "
	done
}

# marked sets FOUND to the pids of the processes with the stamp, or without a
# stamp those with the mark. A stamp stays even if the environment is cleared, and
# every user can read it.
#
# EXACT is set if no process can have been missed: if grep was the only new process
# meanwhile, every other one was there during the whole scan.
marked() {
	FOUND=' ' ALL= EXACT= OLD=
	set +f
	case ${STAMP:+stamp}$MARKS in
	stamp*)
		newest && OLD=$LAST
		ALL=$(exec grep -lsF -e "$STAMP" /proc/[0-9]*/limits 2>/dev/null)
		case $? in [012]) newest && [ "$LAST" = $((OLD + 1)) ] && EXACT=1 ;; esac
		;;
	# Not as an argument, which every user of the host could read.
	grep*) ALL=$(echo "$MARK" | $MARKS -lsF -f /proc/self/fd/0 /proc/[0-9]*/environ 2>/dev/null) ;;
	head) ALL=$(head -c 1000000 /proc/[0-9]*/environ 2>/dev/null | tr '\000' '\n') ;;
	esac
	set -f
	IFS=$NL PID=
	if [ "${STAMP:-$MARKS}" != head ]; then
		for LINE in $ALL; do
			LINE=${LINE#/proc/}
			FOUND="$FOUND${LINE%%/*} "
		done
	else
		for LINE in $ALL; do
			case $LINE in
			'==> /proc/'*) PID=${LINE#==> /proc/} PID=${PID%%/*} ;;
			*"$MARK"*) FOUND="$FOUND$PID " ;;
			esac
		done
	fi
	IFS=' '
}

# newest sets LAST to the pid of the latest process or thread.
newest() { { read -r LINE LINE LINE LINE LAST </proc/loadavg; } 2>/dev/null; }

# grow sets LIVE to the pids of LIST that are in FOUND or in the group, and to
# their descendants; INGROUP to those of the group. Processes of the host are
# excluded, with their descendants.
grow() {
	LIVE=' ' INGROUP=' ' GROWN=1
	while [ -n "$GROWN" ]; do
		GROWN=
		IFS=$NL
		for LINE in $LIST; do
			IFS=' '
			set -- $LINE
			case $LIVE$STRANGERS in *" $1 "*) continue ;; esac
			[ "$1" -gt 1 ] && [ "$1" != "$$" ] || continue
			case $FOUND in
			*" $1 "*) ;;
			*)
				case $STRANGERS in *" $2 "*)
					STRANGERS="$STRANGERS$1 " GROWN=1
					continue
					;;
				esac
				[ "$GROUP" -gt 1 ] && [ "$3" = "$GROUP" ] || case $FOUND in *" $2 "*) ;; *) continue ;; esac
				FOUND="$FOUND$1 "
				;;
			esac
			[ "$GROUP" -gt 1 ] && [ "$3" = "$GROUP" ] && INGROUP="$INGROUP$1 "
			LIVE="$LIVE$1 " GROWN=1
		done
		IFS=' '
	done
}

# regroup forgets the id of a group that has outlived its leader and ended: the id
# may soon be reused.
regroup() {
	[ "$RUN" != 0 ] || [ "$GROUP" = 0 ] || kill -0 -$GROUP 2>/dev/null || GROUP=0
}

# look sets FOUND to the pids of the run: those with stamp or mark, those of the
# group, every member ever seen, and the descendants of all; INGROUP to those of
# the group; SPARED to those that LEAVE spares, which are in neither. If it knows
# no process to start from, it does not list all processes, which is slow on a
# busy host.
look() {
	LIST= LIVE=' ' INGROUP=' ' SPARED=' ' STRANGERS=' '
	regroup
	if [ -z "$SEES" ]; then
		feel
		return 0
	fi
	marked
	recall "$MEMBERS"
	MEMBERS=$PAIRS FOUND="$FOUND${ALIVE# }"
	if [ "$FOUND" = ' ' ]; then
		[ "$GROUP" -gt 1 ] && kill -0 -$GROUP 2>/dev/null || return 0
	fi
	if [ "$HOSTS" != ' ' ]; then
		recall "$HOSTS"
		HOSTS=$PAIRS STRANGERS=$ALIVE
	fi
	list
	# A process that was found may have begun another one before it ended.
	[ -n "$EXACT" ] && newest && [ "$LAST" = $((OLD + 2)) ] || EXACT=
	grow
	FOUND=$LIVE
	if [ "$STRANGERS" != ' ' ]; then
		pair $STRANGERS
		HOSTS=$PAIRS
	fi
	NEW=
	for PID in $FOUND; do
		case $MEMBERS in *" $PID:"*) ;; *) NEW="$NEW $PID" ;; esac
	done
	pair $NEW
	MEMBERS="$MEMBERS${PAIRS# }"
	[ -n "$LEAVE" ] && spare
	return 0
}

# feel is look for hosts without process lists: it checks the group as a whole.
feel() {
	FOUND=' '
	if [ "$GROUP" -gt 1 ]; then
		kill -0 -$GROUP 2>/dev/null && FOUND=" $GROUP " INGROUP=" $GROUP " LIST="$GROUP 0 $GROUP$NL"
	elif [ "$RUN" -gt 1 ]; then
		kill -0 $RUN 2>/dev/null && FOUND=" $RUN " LIST="$RUN 0 0$NL"
	fi
}

# names PID reports whether LEAVE names the process: by the base name of its
# argv[0], or by its name in the kernel.
names() {
	COMM=
	if [ -n "$PROC" ]; then
		NAME=$(tr '\000' '\n' </proc/$1/cmdline 2>/dev/null)
		NAME=${NAME%%"$NL"*}
		{ IFS= read -r COMM </proc/$1/comm; } 2>/dev/null
	else
		NAME=$(ps -o args= -p $1 2>/dev/null) COMM=$(ps -o comm= -p $1 2>/dev/null)
		NAME=${NAME%% *} COMM=${COMM##*/}
	fi
	IFS=' '
	NAME=${NAME##*/}
	case "$NL$LEAVE$NL" in *"$NL${NAME:-$NL}$NL"* | *"$NL${COMM:-$NL}$NL"*) return 0 ;; esac
	return 1
}

# spare moves the processes that LEAVE names from FOUND and INGROUP to SPARED,
# with all their descendants. The server itself is never spared.
spare() {
	recall "$KEPT"
	SPARED=$ALIVE
	for PID in $FOUND; do
		case $SPARED in *" $PID "*) continue ;; esac
		[ "$PID" != "$RUN" ] && names $PID && SPARED="$SPARED$PID "
	done
	GROWN=1
	while [ -n "$GROWN" ]; do
		GROWN=
		IFS=$NL
		for LINE in $LIST; do
			IFS=' '
			set -- $LINE
			case $SPARED in *" $1 "*) continue ;; *" $2 "*) ;; *) continue ;; esac
			case $FOUND in *" $1 "*) SPARED="$SPARED$1 " GROWN=1 ;; esac
		done
		IFS=' '
	done
	pair $SPARED
	KEPT=$PAIRS LIVE=' ' PGID=' '
	for PID in $FOUND; do
		case $SPARED in *" $PID "*) continue ;; esac
		LIVE="$LIVE$PID "
		case $INGROUP in *" $PID "*) PGID="$PGID$PID " ;; esac
	done
	FOUND=$LIVE INGROUP=$PGID
}

# settle finds the processes in the group, and descendants of the leader, before
# the server runs: startup files left them there, and they belong to the host.
# With a stamp the server may run already, but all its processes have the stamp.
settle() {
	[ -n "$SEES" ] || return 0
	STRANGERS=' '
	list
	marked
	LEFT=' ' OURS=$FOUND FOUND=" $RUN "
	grow
	for PID in $LIVE; do
		case " $RUN$OURS" in *" $PID "*) ;; *) LEFT="$LEFT$PID " ;; esac
	done
	[ "$LEFT" != ' ' ] || return 0
	pair $LEFT
	HOSTS=$PAIRS LEFT=
	for PAIR in $HOSTS; do
		LEFT="$LEFT ${PAIR%%:*}"
	done
	tell H $LEFT
}

# tell PREFIX PIDS... writes two lines for each process: pid, parent, KiB of
# memory and birth, and the command.
tell() {
	PREFIX=$1 BIRTHS=$MEMBERS$HOSTS
	shift
	for PID in $*; do
		PARENT=0 SIZE=0
		IFS=$NL
		for LINE in $LIST; do
			case $LINE in "$PID "*)
				PARENT=${LINE#* }
				PARENT=${PARENT%% *}
				break
				;;
			esac
		done
		IFS=' '
		BORN=0
		case $BIRTHS in *" $PID:"*) BORN=${BIRTHS#*" $PID:"} BORN=${BORN%% *} ;; esac
		if [ -n "$PROC" ]; then
			[ -n "$PAGE" ] || PAGE=$(getconf PAGESIZE 2>/dev/null || echo 4096)
			{ read -r ALL SIZE REST </proc/$PID/statm; } 2>/dev/null
			echo "$PREFIX $PID $PARENT $((${SIZE:-0} * PAGE / 1024)) ${BORN:-0}"
			printf 'C '
			tr '\000\n' '  ' </proc/$PID/cmdline 2>/dev/null
		else
			SIZE=$(ps -o rss= -p $PID 2>/dev/null)
			echo "$PREFIX $PID $PARENT" ${SIZE:-0} ${BORN:-0}
			printf 'C '
			ps -o args= -p $PID 2>/dev/null | tr '\n' ' '
		fi
		echo
	done
}

# strike SIGNAL PIDS... signals the group at once, unless it has other processes.
strike() {
	SIGNAL=$1 WHOLE=
	shift
	[ "$INGROUP" != ' ' ] && [ "$STRANGERS$SPARED" = '  ' ] && kill -$SIGNAL -$GROUP 2>/dev/null && WHOLE=$INGROUP
	for PID in $*; do
		case $WHOLE in *" $PID "*) ;; *) kill -$SIGNAL $PID 2>/dev/null ;; esac
	done
}

# pause waits a tenth of a second, or as long as it is told; or a second if sleep has no
# fractions.
pause() { sleep ${1:-0.1} 2>/dev/null 3>&- || sleep 1 3>&-; }

# chase SIGNAL finds processes of the run that renew themselves faster than a scan
# takes, and signals them at once. It examines the newest pids as they appear, with
# commands of the shell only, as long as there are new ones. It sets HIT to the pids
# that it found, and AWAY if a process of this user with parent 1 was gone before its
# stamp could be read. Its bounds are low, because a busy host has new pids all the time.
chase() {
	HIT=' ' AWAY= OLD=0 READS=0 TRIES=0 SIGNAL=$1
	[ -n "$STAMP" ] && [ -n "$PROC" ] && [ -z "$LEAVE" ] || return 0
	while [ $READS -lt 400 ] && [ $TRIES -lt 8 ]; do
		READS=$((READS + 1))
		newest || return 0
		[ "$LAST" != $OLD ] || continue
		[ $OLD -gt $((LAST - 24)) ] && [ $OLD -lt $LAST ] || OLD=$((LAST - 24))
		TRIES=$((TRIES + 1)) PID=$LAST
		while [ $PID -gt $OLD ] && [ $PID -gt 1 ]; do
			[ -O /proc/$PID ] && meet $PID
			PID=$((PID - 1))
		done
		OLD=$LAST
	done
}

# meet examines a process of this user for chase.
meet() {
	{ IFS= read -r LINE </proc/$1/stat; } 2>/dev/null || return 0
	LINE=${LINE##*"$CLOSE"} SEEN=
	case $LINE in [ZXx]*) return 0 ;; esac
	{
		while IFS= read -r REST; do
			SEEN=1
			case $REST in *"$STAMP"*)
				kill -$SIGNAL $1
				HIT="$HIT$1 "
				break
				;;
			esac
		done </proc/$1/limits
	} 2>/dev/null
	case $SEEN$LINE in ?\ 1\ *) AWAY=1 ;; esac
}

# slay kills until an exact scan, or three in a row, find no process, or gives up: a
# process that renews itself may be between two of its lives in one scan. It gives up early
# if the same processes live on, which cannot be killed. It lists the
# processes it killed, once each, and those that are left, and tells its doubts.
slay() {
	ROUND=0 CALM=0 FLED=0 STUCK=0 SAME= TOLD=' '
	while [ $ROUND -lt 40 ] && [ $CALM -lt 3 ]; do
		look
		HIT=' ' AWAY=
		[ "$FOUND" = ' ' ] && [ -n "$EXACT" ] && FLED=0 && break
		[ "$FOUND" != ' ' ] || chase KILL
		if [ "$FOUND$HIT" = '  ' ]; then
			CALM=$((CALM + 1))
			[ -z "$AWAY" ] || FLED=$((FLED + 1))
			continue
		fi
		CALM=0 FLED=0 NEW=
		for PID in $FOUND$HIT; do
			case $TOLD in *" $PID "*) ;; *) NEW="$NEW $PID" TOLD="$TOLD$PID " ;; esac
		done
		[ -n "$1" ] && [ -n "$NEW" ] && tell M $NEW
		[ "$FOUND$HIT" = "$SAME " ] && STUCK=$((STUCK + 1)) || STUCK=0
		SAME=$FOUND
		[ $STUCK -lt 15 ] || break
		strike KILL $FOUND
		ROUND=$((ROUND + 1))
		[ $ROUND -gt 3 ] && [ "$HIT" = ' ' ] && pause
	done
	[ -n "$1" ] || return 0
	[ "$FOUND" = ' ' ] || tell L $FOUND
	doubt
}

# doubt writes U 1 if in each of three scans a process was gone before its stamp could
# be read, or if the last one found a process that renews itself; and U 0 if there is
# no doubt any more.
doubt() {
	if [ $FLED -ge 3 ] || [ "$HIT" != ' ' ]; then
		DOUBT=1
		echo 'U 1'
	elif [ -n "$DOUBT" ]; then
		DOUBT=
		echo 'U 0'
	fi
}

# confirm scans up to twice more if look has found no process.
confirm() {
	CALM=0 FLED=0 HIT=' '
	while [ "$FOUND$HIT" = '  ' ] && [ $CALM -lt 3 ]; do
		CALM=$((CALM + 1))
		[ $CALM = 1 ] || look
		[ "$FOUND" = ' ' ] || return 0
		[ -z "$EXACT" ] || { FLED=0 && break; }
		chase 0
		[ -z "$AWAY" ] || FLED=$((FLED + 1))
	done
	doubt
}

# ebb sends TERM to the processes that look has found, and waits for a second.
ebb() {
	[ "$FOUND" != ' ' ] && strike TERM $FOUND
	ROUND=0
	while [ $ROUND -lt 10 ] && [ "$FOUND" != ' ' ]; do
		pause
		look
		ROUND=$((ROUND + 1))
	done
}

# finish REASON... ends the run without a request: the reason, TERM, a second,
# KILL. The reason includes whether the leader is alive. It is written in the
# background: a blocked channel must not delay the end.
finish() {
	look
	MEETS=0
	case $FOUND in *" $RUN "*) MEETS=1 ;; esac
	{
		echo
		echo "Z $* $MEETS"
	} >&3 &
	[ "$FOUND" != ' ' ] && pause && look
	ebb
	# During an exec a process shows no mark.
	for ROUNDS in 1 2 3 4 5; do
		slay
		pause
	done
}

# calm stops the clock, and takes its status: in a container there may be no other
# process that does. A clock that has run out ignores this, and kills the guard.
calm() {
	[ -n "$TIMER" ] && kill $TIMER && [ -z "$MKSH" ] && wait $TIMER
	TIMER=
} 2>/dev/null

# lease starts a clock for some seconds: POSIX read has no time limit. It has the state
# of the run at its start.
lease() {
	calm
	[ "$1" -gt 0 ] || return 0
	clock $1 &
	TIMER=$!
}

# renew restarts the clock, with the present state of the run, unless that is nothing
# but a stamp.
renew() {
	if [ -z "$STAMP" ]; then
		look
		lease $LEASE
		return
	fi
	OLD=$GROUP BORN=
	regroup
	[ -z "$TIMER" ] || born $TIMER
	[ -z "$MKSH" ] && [ -n "$BORN" ] && [ "$OLD" = "$GROUP" ] && kill -USR1 $TIMER 2>/dev/null || lease $LEASE
}

# clock ends the run after some seconds without USR1. It sleeps for short times, so that
# it soon notices when the guard has ended: then another guard is in charge. It keeps
# the channel, as 3, to write the reason. TERM ends it, and its sleep: by KILL, because a
# shell that has just been forked may lose another signal.
clock() {
	TIME=0 FAILED=0 BEAT= OVER= NAP=
	exec </dev/null >/dev/null 2>&1
	if [ -z "$MKSH" ]; then
		trap 'BEAT=1; kill -KILL $NAP' USR1
		trap 'OVER=1; kill -KILL $NAP' TERM
	fi
	while [ $TIME -lt $1 ]; do
		TICK=$(($1 - TIME))
		[ $TICK -gt 3 ] && TICK=3
		if nap $TICK; then
			TIME=$((TIME + TICK))
		elif [ -z "$BEAT$OVER" ]; then # it was killed: the elapsed time is unknown
			FAILED=$((FAILED + 1))
		fi
		[ -z "$OVER" ] && [ $FAILED -lt 100 ] && kill -0 $$ || exit 0
		[ -z "$BEAT" ] || TIME=0 BEAT=
	done
	trap '' TERM USR1
	finish lease $1
	kill -KILL $$
}

# nap sleeps for some seconds, or until a signal of the clock comes.
nap() {
	if [ -n "$MKSH" ]; then
		sleep $1 3>&-
		return
	fi
	sleep $1 3>&- &
	NAP=$!
	[ -z "$BEAT$OVER" ] || kill -KILL $NAP
	wait $NAP || { wait $NAP && false; } # a trap may have ended the first one
	SLEPT=$? NAP=
	return $SLEPT
}

# scope SCOPE sets FOUND and INGROUP to the processes to signal. If a run has no
# group of its own, its group is the whole run.
scope() {
	look
	case $1 in
	leader)
		INGROUP=' '
		case $FOUND in *" $RUN "*) FOUND=" $RUN " ;; *) FOUND=' ' ;; esac
		;;
	group) [ -n "$ALONE" ] || FOUND=$INGROUP ;;
	esac
}

# await sets FOUND to the processes with the mark, and waits a moment for one if MEET is
# set: its run is started at the same time.
await() {
	FOUND=' ' TRIES=0
	while [ -n "${MARKS:+$MEET}" ] && [ "$FOUND" = ' ' ] && [ $TRIES -lt 25 ]; do
		[ $TRIES = 0 ] || pause 0.02
		TRIES=$((TRIES + 1))
		marked
	done
}

# report lists the processes found, and those spared.
report() {
	[ "$FOUND" != ' ' ] && tell M $FOUND
	[ "$SPARED" != ' ' ] && tell Y $SPARED
	return 0
}

command -v sleep >/dev/null 2>&1 || LEASE=0 TIMEOUT=0
await
echo
echo "ARMED-$MARK $$ ${PROC:-0} $((${#MARKS} > 0)) $LEASE ${SEES:-0}${FOUND% }"
lease $TIMEOUT

while IFS= read -r LINE; do
	IFS=' '
	set -- $LINE
	case $1 in
	B) # heartbeat
		echo "E $2"
		renew
		;;
	W) # a sample: a process once seen stays a member
		[ -n "$STAMP" ] || look
		echo "E $2"
		;;
	P) # the run: pid, its group or 0, stamp or 0, and "new" or those that belong
		# to the host. Before it neither a run nor a clock exists.
		N=$2 RUN=$3 GROUP=$4
		[ "$GROUP" = 0 ] && ALONE=1
		[ "$5" != 0 ] && STAMP=$5
		pair $RUN
		MEMBERS=$PAIRS
		if [ "$6" = new ]; then
			settle
		else
			shift 5
			HOSTS=" $* "
		fi
		lease $LEASE
		echo "E $N"
		;;
	G) # a guard that has lost its channel, and not ended: its pid. Its clock ends with it.
		LINE=$(tr '\000\n' '  ' </proc/$3/cmdline 2>/dev/null)
		case $LINE in *' -c '*'eval "$(printf %b "$_m")"'*) kill -KILL $3 ;; esac 2>/dev/null
		echo "E $2"
		;;
	V) # whether a process has the mark, before anything is guarded
		marked
		LIST=
		case $FOUND in *" $3 "*) tell M $3 ;; esac
		echo "E $2"
		;;
	X) # the leader has ended: its pid and group may soon be reused
		RUN=0
		look
		[ "$INGROUP" = ' ' ] && GROUP=0
		lease $LEASE
		confirm
		report
		echo "E $2"
		;;
	T) # the tree
		look
		report
		echo "E $2"
		;;
	S) # a signal: name, scope
		scope $4
		report
		[ "$FOUND" != ' ' ] && strike $3 $FOUND
		echo "E $2"
		;;
	N) # KILL for one process: its pid, and its birth
		look
		case "$FOUND$SPARED" in *" $3 "*)
			born $3
			[ -n "$BORN" ] && [ "$BORN" = "$4" ] && tell M $3 && kill -KILL $3 2>/dev/null
			;;
		esac
		echo "E $2"
		;;
	I) # the pump: its pid, and how many bytes it will have passed at the end, or -. Its
		# birth is how many it has passed. It is ended at the end.
		SIZE=
		{ while read -r ALL LINE; do [ "$ALL" != wchar: ] || SIZE=$LINE; done </proc/$3/io; } 2>/dev/null
		[ -z "$SIZE" ] || echo "M $3 0 0 $SIZE"
		[ "$SIZE" != "$4" ] || kill -KILL $3
		echo "E $2"
		;;
	K) # kill them all
		slay tell
		[ "$SPARED" != ' ' ] && tell Y $SPARED
		echo "E $2"
		;;
	O) # end what is left of an earlier run: its mark and stamp
		(
			MARK=$3 STAMP=$4 GROUP=0 RUN=0 MEMBERS=' ' HOSTS=' ' KEPT=' '
			[ "$STAMP" != 0 ] || STAMP=
			look
			report
			ebb
			slay
		)
		echo "E $2"
		;;
	Q) # nothing is left to guard
		calm
		exit 0
		;;
	esac
done
calm
finish closed 0
exit 0
